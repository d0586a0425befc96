const FAMILIES = /^["']?(Inter Variable|Newsreader Variable)["']?$/
/** Up to this number of bytes a face is inlined: the two of the first page, and those of Latin letters. */
const BYTES_MAX = 40_000

/** The letters of this page as a style sheet with nothing to fetch. A face that cannot be had is left out: then the system's own stand in. */
export async function pageFonts(): Promise<string> {
  const faces = [...document.styleSheets].flatMap((sheet) =>
    rulesOf(sheet).flatMap((rule) => {
      if (!(rule instanceof CSSFontFaceRule) || !FAMILIES.test(rule.style.getPropertyValue('font-family'))) return []
      return [{ text: rule.cssText, base: sheet.href ?? location.href }]
    }),
  )
  const inlined = await Promise.all(faces.map((face) => inline(face).catch(() => '')))
  return inlined.filter(Boolean).join('\n')
}

function rulesOf(sheet: CSSStyleSheet): CSSRule[] {
  try {
    return [...sheet.cssRules]
  } catch {
    // An extension's sheet of another origin is shut.
    return []
  }
}

async function inline({ text, base }: { text: string; base: string }): Promise<string> {
  const address = /url\("?([^")]+)"?\)/.exec(text)?.[1]
  const answer = address === undefined ? undefined : await fetch(new URL(address, base))
  const bytes = answer?.ok ? new Uint8Array(await answer.arrayBuffer()) : undefined
  if (!bytes || bytes.length > BYTES_MAX) return ''
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return text.replace(/url\([^)]*\)/, `url("data:font/woff2;base64,${btoa(letters)}")`)
}
