import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './ground.ts'
import { sum } from './numbers.ts'
import { type Row, row } from './row.ts'

const client = path.join(root, 'dist/client')

/** Measures the gzipped files of the built client that a browser loads before each screen is shown. */
export async function measureBytes(): Promise<Row[]> {
  const html = readFileSync(path.join(client, 'index.html'), 'utf8')
  const scripts = [...html.matchAll(/<script [^>]*src="\/(assets\/[^"]+)"/g)].flatMap(([, script]) => script ?? [])
  const entries = [await assetNamed('entry', '.js'), await assetNamed('start', '.js')]
  const landing = [...(await withStaticImports(scripts)), await assetNamed('demonstration', '.js')]
  const styles = [...html.matchAll(/<link rel="stylesheet"[^>]* href="\/(assets\/[^"]+)"/g)].flatMap(([, style]) => style ?? [])
  const [messenger, worker] = [await assetNamed('Messenger', '.js'), await assetNamed('worker', '.js')]
  const signIn = await withStaticImports([...entries, await assetNamed('AuthScreen', '.js')])
  const chat = await withStaticImports([...entries, messenger])
  const calling = [await assetNamed('CallOverlay', '.js'), await assetNamed('receiveCall', '.js')]
  // Whatever has a dialog shares those files.
  const before = new Set(await withStaticImports([...chat, await assetNamed('LogoutDialog', '.js')]))
  const call = (await withStaticImports(calling)).filter((file) => !before.has(file))
  const styled = (files: string[]) => `and ${kB(files).toFixed(1)} kB of CSS`
  return [
    row('bytes', 'JavaScript of the sign-in form, gzip', kB(signIn), 'kB', { atMost: 125, note: styled(styles) }),
    row('bytes', 'JavaScript of the chat, gzip', kB(chat), 'kB', {
      atMost: 191.4,
      note: styled([...styles, await assetNamed('Messenger', '.css')]),
    }),
    row('bytes', 'JavaScript of the landing page, gzip', kB(landing), 'kB', {
      atMost: 90,
      note: `${kB(scripts).toFixed(1)} kB of it to show the page, the rest seals what is typed there; ${styled(styles)}`,
    }),
    row('bytes', 'the crypto worker, gzip', kB(await withStaticImports([worker])), 'kB', { atMost: 96 }),
    row('bytes', 'JavaScript of a call beside the chat and its dialogs, gzip', kB(call), 'kB', { atMost: 45 }),
  ]
}

/** Finds the built file with that name and any hash. */
async function assetNamed(name: string, ending: string): Promise<string> {
  const found = readdirSync(path.join(client, 'assets')).filter((file) => file.startsWith(`${name}-`) && file.endsWith(ending))
  const [file] = found
  if (file === undefined || found.length > 1) throw new Error(`dist/client has ${found.length} files ${name}-*${ending}`)
  return `assets/${file}`
}

/** Returns the files and their static imports. Dynamic imports count for the screen that needs them. */
async function withStaticImports(entries: string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: entries,
    absWorkingDir: client,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    outdir: 'nowhere',
    logLevel: 'error',
  })
  const needed = new Set(entries)
  for (const file of needed) {
    for (const { path: imported, kind } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'import-statement') needed.add(imported)
    }
  }
  return [...needed]
}

const kB = (files: string[]): number =>
  sum(files.map((file) => gzipSync(readFileSync(path.join(client, file)), { level: 9 }).length)) / 1000
