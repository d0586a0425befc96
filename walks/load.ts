import path from 'node:path'
import { compileFunction } from 'node:vm'
import { build, type Plugin } from 'esbuild'
import type { openPage, Wires } from './page.ts'

/** The acts of a person at a page, and the page's state. */
export type Page = ReturnType<typeof openPage>

let built: Promise<string> | undefined

/** Vite's import of the worker's address, which nobody needs here: the worker is part of the page. */
const workerAddress: Plugin = {
  name: 'worker address',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?worker&url$/ }, ({ path }) => ({ path, namespace: 'address' }))
    onLoad({ filter: /./, namespace: 'address' }, () => ({ contents: "export default ''" }))
  },
}

/** Nothing is shown here. */
const decodes: Plugin = {
  name: 'decodes',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/canDecode\.ts$/ }, ({ path }) => ({ path, namespace: 'decodes' }))
    onLoad({ filter: /./, namespace: 'decodes' }, () => ({ contents: 'export const canDecode = async () => true' }))
  },
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'page.ts')],
    ...{ bundle: true, write: false, format: 'cjs', platform: 'browser', target: 'node20', plugins: [workerAddress, decodes] },
  })
  return outputFiles?.[0]?.text ?? ''
}

/**
 * Runs a new instance of the client, with its own stores, state and worker. The client is bundled once; its references to browser
 * globals resolve to `globals` first.
 */
export async function loadPage(globals: Record<string, unknown>, wires: Wires): Promise<Page> {
  built ??= bundle()
  const code = await built
  const own: Record<string, unknown> = { ...globals, self: {} }
  const globalThis_ = new Proxy(globalThis, { get: (target, name: string) => own[name] ?? Reflect.get(target, name) })
  const given: Record<string, unknown> = { ...own, globalThis: globalThis_, module: { exports: {} } }
  const names = Object.keys(given)
  compileFunction(code, names, { filename: 'page.js' })(...names.map((name) => given[name]))
  const { openPage: open } = (given['module'] as { exports: { openPage: typeof openPage } }).exports
  return open(wires)
}
