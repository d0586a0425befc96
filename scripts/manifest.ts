import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CONTRACT_VERSION } from '../contract/ground/limits.ts'
import { BUILD_ADDRESS, SERVICE_WORKER_ADDRESS } from '../contract/site/addresses.ts'
import { type Build, contentOf } from '../contract/site/build.ts'
import { PAGES } from '../contract/site/pages.ts'
import { policyFor } from '../contract/site/policy.ts'

/** What WEBCAT's command line asks for (docs.webcat.tech, `webcat.config.json`). */
export interface WebcatConfig {
  app: string
  version: string
  default_csp: string
  extra_csp: Record<string, string>
  /** Shown at `/`, without the slash before it. */
  default_index: string
  /** Shown at every address that is no file. */
  default_fallback: string
  /** SHA-256 of every WebAssembly module, base64url. */
  wasm: string[]
}

/** What WEBCAT compares a site with, before it is signed. */
export interface WebcatManifest extends WebcatConfig {
  /** SHA-256 of every file, base64url, by address. */
  files: Record<string, string>
}

const INDEX = 'index.html'

/** Returns the build in a folder. The files that are there because a browser takes them compressed are no files of their own. */
export function describe(folder: string, version: string): Build {
  const files = Object.fromEntries(
    filesIn(folder)
      .filter((name) => ![SERVICE_WORKER_ADDRESS, BUILD_ADDRESS].includes(`/${name}`))
      .map((name) => [addressOf(name), hashOf(folder, name)]),
  )
  const worker = hashOf(folder, path.basename(SERVICE_WORKER_ADDRESS))
  const content = { version, contract: CONTRACT_VERSION, worker, files }
  return { id: sha256(contentOf(content)), ...content }
}

/** Returns WEBCAT's unsigned manifest of the build in a folder, with the policy that the server sends. */
export function webcatManifest(
  folder: string,
  { app, version }: Pick<WebcatConfig, 'app' | 'version'>,
  policy = policyFor(),
): WebcatManifest {
  const names = filesIn(folder)
  const files = Object.fromEntries(names.map((name) => [webcatAddressOf(name), hashOf(folder, name)]))
  const wasm = [...new Set(names.flatMap((name) => wasmOf(name, readFileSync(path.join(folder, name)))))].sort()
  return {
    ...{ app, version, default_csp: policy, extra_csp: {} },
    ...{ default_index: INDEX, default_fallback: `/${INDEX}`, wasm, files },
  }
}

/** Writes what an operator needs for WEBCAT: the configuration of its command line, and the unsigned manifest. */
export function writeWebcat(folder: string, manifest: WebcatManifest): void {
  mkdirSync(folder, { recursive: true })
  const { files: _, ...config } = manifest
  writeFileSync(path.join(folder, 'webcat.config.json'), `${JSON.stringify(config, null, 2)}\n`)
  writeFileSync(path.join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((name) => !/\.(gz|br|map)$/.test(name))
    .sort()

/** A page's HTML has the address at which the server shows it. */
const addressOf = (name: string): string => Object.entries(PAGES).find(([, file]) => file === name)?.[0] ?? `/${name}`

/** WEBCAT looks for what stands at `/` under the name of the index. */
const webcatAddressOf = (name: string): string => (name === INDEX ? `/${INDEX}` : addressOf(name))

/** The start of every WebAssembly module (`\0asm`, version 1) in base64, in which libraries keep theirs inside of scripts. */
const INLINE_WASM = /AGFzbQEAAA[\w+/]+=*/g

/** SHA-256 of the WebAssembly modules in a file: the file itself, or those that its script holds as text. */
export function wasmOf(name: string, bytes: Uint8Array): string[] {
  if (name.endsWith('.wasm')) return [sha256(bytes)]
  if (!name.endsWith('.js')) return []
  const found = Buffer.from(bytes).toString('latin1').match(INLINE_WASM) ?? []
  return found.map((text) => sha256(Buffer.from(text, 'base64')))
}

const hashOf = (folder: string, name: string): string => sha256(readFileSync(path.join(folder, name)))

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('base64url')
