package golden

import "testing"

func TestDiff(t *testing.T) {
	for _, tt := range []struct{ name, want, got, diff string }{
		{"equal texts", "a\nb\n", "a\nb\n", ""},
		{"a line that changed", "a\nb\nc", "a\nx\nc", "  a\n- b\n+ x\n  c\n"},
		{"a line too many", "a", "a\nb", "  a\n+ b\n"},
		{"a line too few", "a\nb", "b", "- a\n  b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Diff(tt.want, tt.got); got != tt.diff {
				t.Errorf("diff %q, want %q", got, tt.diff)
			}
		})
	}
}
