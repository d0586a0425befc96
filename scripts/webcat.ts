import { sha256, type WebcatManifest } from './manifest.ts'

// WEBCAT's rules (docs.webcat.tech, "CSP" and "Requirements"; the extension of July 2026), for a manifest and for one answer.

/** One answer of a server, with the bytes as a browser gets them after decompression. */
export interface Answer {
  status: number
  headers: Headers
  bytes: Uint8Array
}

const HASHES = /^'sha(256|384|512)-/
/** An origin. WEBCAT bears it if it is enrolled too, which a policy does not say. */
const ORIGIN = /^https:\/\/[a-z0-9.-]+(:\d+)?$/
/** What each directive may name. WEBCAT also bears inline styles, and other enrolled origins elsewhere, which this product has no use for. */
const ALLOWED: Record<string, (source: string) => boolean> = {
  'default-src': (source) => ["'none'", "'self'"].includes(source),
  'script-src': (source) => ["'none'", "'self'", "'wasm-unsafe-eval'"].includes(source) || HASHES.test(source),
  'script-src-elem': (source) => ["'none'", "'self'", "'wasm-unsafe-eval'"].includes(source) || HASHES.test(source),
  'style-src': (source) => ["'none'", "'self'"].includes(source) || HASHES.test(source),
  'style-src-elem': (source) => ["'none'", "'self'"].includes(source) || HASHES.test(source),
  'object-src': (source) => source === "'none'",
  'frame-src': (source) => ["'none'", "'self'", 'blob:', 'data:'].includes(source) || ORIGIN.test(source),
  'child-src': (source) => ["'none'", "'self'", 'blob:', 'data:'].includes(source),
  'worker-src': (source) => ["'none'", "'self'"].includes(source),
}
/** What must be set unless `default-src` is 'none': each group by one of its names. */
const NEEDED = [['object-src'], ['script-src'], ['style-src'], ['frame-src', 'child-src'], ['worker-src']]

/** What is wrong with the text of a policy. */
export function policyFaults(policy: string): string[] {
  if (policy.includes(',')) return ['the policy has a comma, so it is more than one']
  const directives = new Map<string, string[]>()
  for (const directive of policy.split(';')) {
    const [name = '', ...sources] = directive.trim().split(/\s+/)
    if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources)
  }
  const unsafe = [...directives].flatMap(([name, sources]) =>
    sources.flatMap((source) => {
      if (/^'nonce-/i.test(source)) return [`${name} has a nonce, which nobody can sign`]
      return ALLOWED[name] && !ALLOWED[name](source) ? [`${name} may not name ${source}`] : []
    }),
  )
  const isClosed = directives.get('default-src')?.join(' ') === "'none'"
  const missing = isClosed ? [] : NEEDED.filter((names) => !names.some((name) => directives.get(name)?.length))
  // Without it a worker falls back to script-src, which may have hashes.
  const needed = isClosed && !directives.has('worker-src') ? [['worker-src']] : missing
  return [...unsafe, ...needed.map((names) => `the policy does not set ${names.join(' or ')}`)]
}

/** What is wrong with a manifest by itself. */
export function manifestFaults({ default_csp, extra_csp, default_index, default_fallback, files }: WebcatManifest): string[] {
  const prefixes = Object.keys(extra_csp).filter((prefix) => !prefix.startsWith('/') || !prefix.endsWith('/'))
  return [
    ...[default_csp, ...Object.values(extra_csp)].flatMap(policyFaults),
    ...prefixes.map((prefix) => `the prefix ${prefix} of a policy does not begin and end with /`),
    ...(files[`/${default_index}`] ? [] : [`the index ${default_index} is no file of the manifest`]),
    ...(files[default_fallback] ? [] : [`the fallback ${default_fallback} is no file of the manifest`]),
  ]
}

/** The policy that the manifest names for an address: the one of the longest prefix. */
export function policyOf({ default_csp, extra_csp }: WebcatManifest, address: string): string {
  const prefixes = Object.keys(extra_csp).filter((prefix) => address.startsWith(prefix))
  const [longest] = prefixes.sort((one, other) => other.length - one.length)
  return (longest !== undefined && extra_csp[longest]) || default_csp
}

/** The hash that the manifest names for an address that shows a page, or is a file. */
export const hashOf = ({ files, default_index, default_fallback }: WebcatManifest, address: string): string | undefined =>
  files[address] ?? files[address.endsWith('/') ? address + default_index : default_fallback]

/** What is wrong with the headers of any answer, whatever it is about. `isPage`: a navigation, which alone may be led elsewhere. */
export function headerFaults(manifest: WebcatManifest, address: string, { headers }: Answer, isPage: boolean): string[] {
  const faults: string[] = []
  const policy = headers.get('content-security-policy')
  if (policy === null) faults.push('there is no policy')
  else if (policy !== policyOf(manifest, address))
    faults.push('the policy is not the one of the manifest, character by character')
  for (const name of ['refresh', 'link']) if (headers.has(name)) faults.push(`there is a header ${name}`)
  if (headers.get('origin-agent-cluster') !== '?1') faults.push('there is no Origin-Agent-Cluster: ?1')
  const location = headers.get('location')
  if (location !== null && !isPage) faults.push('what is no page leads elsewhere')
  if (location !== null && !isRelative(location)) faults.push(`it leads to ${location}, which is not relative`)
  return faults
}

/** True for `/...`, `./...` and `../...`. A browser reads `//host` and `/\host` as another host. */
const isRelative = (location: string): boolean =>
  /^(\/|\.\/|\.\.\/)/.test(location) && !location.startsWith('//') && !location.includes('\\')

/** What is wrong with the bytes of a page or a file. */
export function bytesFaults(manifest: WebcatManifest, address: string, { bytes }: Answer): string[] {
  const wanted = hashOf(manifest, address)
  if (wanted === undefined) return ['it is in no manifest']
  return sha256(bytes) === wanted ? [] : ['its bytes are not those of the manifest']
}
