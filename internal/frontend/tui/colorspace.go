package tui

import (
	"math"

	"github.com/boughdev/bough/internal/styled"
)

// Colors as eyes see them: OKLab, its polar form OKLCH, and OKHSL, in which saturation
// is a part of what sRGB can show (Björn Ottosson, "A perceptual color space for image
// processing" and "Okhsv and Okhsl", 2020 and 2021).

// linear makes the parts of linear light of OKLab.
func linear(l, a, b float64) [3]float64 {
	x, y, z := l+0.3963377774*a+0.2158037573*b, l-0.1055613458*a-0.0638541728*b, l-0.0894841775*a-1.2914855480*b
	x, y, z = x*x*x, y*y*y, z*z*z
	return [3]float64{4.0767416621*x - 3.3077115913*y + 0.2309699292*z, -1.2684380046*x + 2.6097574011*y - 0.3413193965*z, -0.0041960863*x - 0.7034186147*y + 1.7076147010*z}
}

func shown8(v float64) uint8 {
	if v = min(max(v, 0), 1); v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * v))
}

func rgbOf(p [3]float64) styled.Color { return styled.RGB(shown8(p[0]), shown8(p[1]), shown8(p[2])) }

// mostChroma is the largest chroma that sRGB shows at a lightness and a hue.
func mostChroma(l, a, b float64) float64 {
	low, high := 0.0, 0.5
	for range 26 {
		c := (low + high) / 2
		inside := true
		for _, v := range linear(l, c*a, c*b) {
			inside = inside && v >= -1e-7 && v <= 1+1e-7
		}
		if inside {
			low = c
		} else {
			high = c
		}
	}
	return low
}

// oklch returns a color by lightness 0–1, chroma and hue in degrees. What sRGB cannot
// show loses chroma and keeps the rest.
func oklch(l, c, h float64) styled.Color {
	if l = min(max(l, 0), 1); l == 0 || l == 1 {
		c = 0
	}
	b, a := math.Sincos(h * math.Pi / 180)
	c = min(max(c, 0), mostChroma(l, a, b))
	return rgbOf(linear(l, c*a, c*b))
}

// okhsl returns a color by hue in degrees, saturation 0–1 and lightness 0–1.
func okhsl(h, s, lightness float64) styled.Color {
	s, lightness = min(max(s, 0), 1), min(max(lightness, 0), 1)
	const k1, k2 = 0.206, 0.03
	l := (lightness*lightness + k1*lightness) / ((1 + k1) / (1 + k2) * (lightness + k2))
	if s == 0 || lightness == 0 || lightness == 1 {
		return rgbOf(linear(l, 0, 0))
	}
	b, a := math.Sincos(h * math.Pi / 180)
	// The most colorful lightness of the hue.
	low, high := 0.0, 1.0
	for range 40 {
		x, y := low+(high-low)/3, high-(high-low)/3
		if mostChroma(x, a, b) < mostChroma(y, a, b) {
			low = x
		} else {
			high = y
		}
	}
	top := (low + high) / 2
	peak := mostChroma(top, a, b)
	most := mostChroma(l, a, b)
	ratio := most / min(l*peak/top, (1-l)*peak/(1-top))
	sMid := 0.11516993 + 1/(7.44778970+4.15901240*b+a*(-2.19557347+1.75198401*b+a*(-2.13704948-10.02301043*b+a*(-4.24894561+5.38770819*b+4.69891013*a))))
	tMid := 0.11239642 + 1/(1.61320320-0.68124379*b+a*(0.40370612+0.90148123*b+a*(-0.27087943+0.61223990*b+a*(0.00299215-0.45399568*b-0.14661872*a))))
	mid := 0.9 * ratio * math.Pow(1/(math.Pow(l*sMid, -4)+math.Pow((1-l)*tMid, -4)), 0.25)
	zero := math.Sqrt(1 / (math.Pow(l*0.4, -2) + math.Pow((1-l)*0.8, -2)))
	const bend = 0.8
	var c float64
	if s < bend {
		t, n := s/bend, bend*zero
		c = t * n / (1 - (1-n/mid)*t)
	} else {
		t := (s - bend) / (1 - bend)
		n := (1 - bend) * mid * mid / (bend * bend * zero)
		c = mid + t*n/(1-(1-n/(most-mid))*t)
	}
	c = min(c, most)
	return rgbOf(linear(l, c*a, c*b))
}

// luminance is how bright a color is, 0–1 (WCAG 2).
func luminance(r, g, b uint8) float64 {
	part := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}
