/** One opening tag of a page that the build has made. */
export interface Tag {
  /** As it stands in the HTML. */
  source: string
  name: string
  /** Empty for an attribute without a value. */
  attributes: Record<string, string>
}

const TAG = /<([a-z][\w-]*)((?:\s+[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*\/?>/gi
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g

/** The opening tags of HTML as Vite and React write it, in which every `<` of a text is escaped. */
export const tagsOf = (html: string): Tag[] =>
  [...html.matchAll(TAG)].map(([source, name = '', rest = '']) => ({
    source,
    name: name.toLowerCase(),
    attributes: Object.fromEntries(
      [...rest.matchAll(ATTRIBUTE)].map(([, key = '', ...values]) => [key.toLowerCase(), values.find((each) => each) ?? '']),
    ),
  }))

/** The file that a tag loads and runs, or takes its style from, as an address; undefined if it loads none. */
export function loadedBy({ name, attributes }: Tag): string | undefined {
  const { src, href, rel } = attributes
  if (name === 'script') return src
  return name === 'link' && (rel === 'modulepreload' || rel === 'stylesheet') ? href : undefined
}

/** What no page may have, in words: whatever the policy would stop, or whatever is not in a file of the manifest. */
export function inlineFaults(html: string): string[] {
  const found = tagsOf(html).flatMap(({ source, name, attributes }) => {
    const faults: string[] = []
    if (name === 'script' && attributes['src'] === undefined) faults.push('an inline script')
    if (name === 'style') faults.push('an inline style sheet')
    if (name === 'base') faults.push('a base address')
    if (name === 'meta' && attributes['http-equiv'] !== undefined) faults.push('a header in a meta tag')
    for (const [key, value] of Object.entries(attributes)) {
      if (key === 'nonce') faults.push('a nonce')
      if (key === 'style') faults.push('an inline style')
      if (/^on/.test(key)) faults.push('an inline handler')
      if (/^\s*javascript:/i.test(value)) faults.push('a javascript: address')
    }
    return faults.map((fault) => `${fault}: ${source.slice(0, 80)}`)
  })
  return [...new Set(found)]
}
