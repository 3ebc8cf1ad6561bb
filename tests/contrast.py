"""Contrast of colours, as the rules of access measure it."""


def luminance(colour):
    """Return the relative luminance of a colour, by WCAG."""
    colour = "#" + "".join(2 * letter for letter in colour[1:]) if len(colour) == 4 else colour
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first, second):
    """Return the contrast of two colours, by WCAG."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
