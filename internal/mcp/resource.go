package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/boughdev/bough/message"
	"github.com/boughdev/bough/tool"
)

// The tools for resources have the names that other agents use, pi among them.
const (
	listResources = "list_mcp_resources"
	listTemplates = "list_mcp_resource_templates"
	readResource  = "read_mcp_resource"
)

// maxPages is how many pages of one server are asked for.
const maxPages = 20

type resourceArgs struct {
	Server string `json:"server"`
	Cursor string `json:"cursor"`
	URI    string `json:"uri"`
}

func (m *Manager) resourceTools() []tool.Tool {
	serverArg := `"server":{"description":"The name of the MCP server; all if left out","type":"string"}`
	return []tool.Tool{
		tool.New(message.ToolSpec{Name: listResources, Description: "List the resources of MCP servers, such as files, tables or pages.",
			Parameters: message.Value(`{"properties":{"cursor":{"description":"Where the next page of that server begins","type":"string"},` + serverArg + `},"type":"object"}`)},
			func(ctx context.Context, a resourceArgs, _ func(message.Output)) (message.Output, error) {
				return m.listed(ctx, a, "resources", resourcePage)
			}),
		tool.New(message.ToolSpec{Name: listTemplates, Description: "List the URI templates of resources that MCP servers do not list one by one.",
			Parameters: message.Value(`{"properties":{"cursor":{"description":"Where the next page of that server begins","type":"string"},` + serverArg + `},"type":"object"}`)},
			func(ctx context.Context, a resourceArgs, _ func(message.Output)) (message.Output, error) {
				return m.listed(ctx, a, "resourceTemplates", templatePage)
			}),
		tool.New(message.ToolSpec{Name: readResource, Description: "Read a resource of an MCP server.",
			Parameters: message.Value(`{"properties":{"server":{"description":"The name of the MCP server","type":"string"},"uri":{"description":"The URI of the resource","type":"string"}},"required":["server","uri"],"type":"object"}`)},
			func(ctx context.Context, a resourceArgs, _ func(message.Output)) (message.Output, error) {
				return m.readResource(ctx, a)
			}),
	}
}

// row is a resource or a template as it is told to models.
type row struct {
	Server      string `json:"server"`
	URI         string `json:"uri,omitempty"`
	URITemplate string `json:"uriTemplate,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

// page is one page of a list.
type page struct {
	rows []row
	next string
}

type lister func(ctx context.Context, c *connection, cursor string) (page, error)

func resourcePage(ctx context.Context, c *connection, cursor string) (p page, err error) {
	r, err := c.session.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
	if err != nil {
		return p, err
	}
	for _, x := range r.Resources {
		if x != nil && !isApp(x.URI, x.MIMEType) {
			p.rows = append(p.rows, row{URI: x.URI, Name: x.Name, Description: cutText(x.Description, 500), MIMEType: x.MIMEType})
		}
	}
	p.next = r.NextCursor
	return p, nil
}

func templatePage(ctx context.Context, c *connection, cursor string) (p page, err error) {
	r, err := c.session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
	if err != nil {
		return p, err
	}
	for _, x := range r.ResourceTemplates {
		if x != nil && !isApp(x.URITemplate, x.MIMEType) {
			p.rows = append(p.rows, row{URITemplate: x.URITemplate, Name: x.Name, Description: cutText(x.Description, 500), MIMEType: x.MIMEType})
		}
	}
	p.next = r.NextCursor
	return p, nil
}

// isApp reports whether a resource is a page for hosts that draw such.
func isApp(uri, mimeType string) bool {
	return strings.HasPrefix(uri, "ui://") || strings.Contains(mimeType, "profile=mcp-app")
}

// pages lists the page of a server that is asked for, or all pages if none is.
func (s *server) pages(ctx context.Context, a resourceArgs, list lister) (rows []row, next string, err error) {
	c, err := s.connection(ctx, false)
	if err != nil {
		return nil, "", err
	}
	next = a.Cursor
	for range maxPages {
		p, err := within(ctx, s.Timeout, func(ctx context.Context) (page, error) { return list(ctx, c, next) })
		if err != nil {
			return rows, "", err
		}
		for _, r := range p.rows {
			r.Server = s.Name
			rows = append(rows, r)
		}
		if next = p.next; next == "" || a.Server != "" {
			break
		}
	}
	return rows, next, nil
}

// listed lists one page of one server, or all of all.
func (m *Manager) listed(ctx context.Context, a resourceArgs, key string, list lister) (message.Output, error) {
	rows := []row{}
	var next string
	var faults []string
	found := false
	for _, s := range m.servers {
		if s.Exposure == "hidden" || a.Server != "" && !sameName(s.Name, a.Server) || a.Server == "" && (!s.usable() || !s.current().Resources) {
			continue
		}
		found = true
		got, to, err := s.pages(ctx, a, list)
		rows = append(rows, got...)
		if a.Server != "" {
			next = to
		}
		if err != nil {
			f := s.failure(ctx, err)
			if a.Server != "" {
				return f, nil
			}
			faults = append(faults, f.Content[0].Text)
		}
	}
	if !found && a.Server != "" {
		return message.ErrorOutput(fmt.Sprintf("There is no MCP server %q.", cutText(a.Server, 100))), nil
	}
	b, err := json.Marshal(map[string]any{key: rows})
	if err != nil {
		return message.Output{}, err
	}
	g := gather{m: m}
	g.text(string(b))
	if next != "" {
		g.text("The next page has the cursor " + next)
	}
	for _, f := range faults {
		g.text(f)
	}
	return message.Output{Content: g.done()}, nil
}

func (m *Manager) readResource(ctx context.Context, a resourceArgs) (message.Output, error) {
	s, err := m.server(a.Server)
	if err != nil || a.URI == "" || s.Exposure == "hidden" {
		return message.ErrorOutput("Give the server and the uri of a resource, as " + listResources + " has them."), nil
	}
	c, err := s.connection(ctx, false)
	if err != nil {
		return s.failure(ctx, err), nil
	}
	r, err := within(ctx, s.Timeout, func(ctx context.Context) (*mcp.ReadResourceResult, error) {
		return c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: a.URI})
	})
	if err != nil {
		return s.failure(ctx, err), nil
	}
	g := gather{m: m, server: s.Name}
	for _, x := range r.Contents {
		if x == nil {
			continue
		}
		if x.Blob == nil {
			g.text(x.Text)
		} else {
			g.resource(x)
		}
	}
	return message.Output{Content: g.done(), Details: details(s.Name, readResource)}, nil
}
