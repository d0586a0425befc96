import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Plugin, build as vite } from 'vite'
import type * as Pages from '../client/site/pages.tsx'
import { htmlOf } from './markdown.ts'
import { type Found, NOTICES, notePackages, noticesOf, textOf } from './notices.ts'
import { loadForBuild } from './render.ts'
import { smallerZod } from './schemas.ts'

const root = path.resolve(import.meta.dirname, '..')
const PAGES = path.join(root, 'client/site')
/** The scripts of the public pages: of index.html, and of those that are made of the template. */
const SCRIPTS = ['landing', 'security']
/** What all public pages of their own are made from. */
const TEMPLATE = 'page.html'

/** The documents that are shown as pages, by their file in docs/, with the page's file in the built client. */
const DOCUMENTS: Record<string, { file: string; address: string; description: string }> = {
  'threat-model.md': {
    file: 'threat-model.html',
    address: '/security/threat-model',
    description: 'Who may attack Conclave, what each can do, what holds, and the tests that prove it.',
  },
  'protocol.md': {
    file: 'protocol.html',
    address: '/security/protocol',
    description: 'The encryption of Conclave, rule by rule, as its code cites it.',
  },
  'verify.md': {
    file: 'verify.html',
    address: '/security/verify',
    description: 'How a user, an operator and an auditor check the code that a server of Conclave hands out, and what remains.',
  },
}

/**
 * Builds the scripts of the public pages apart from the messenger, so that no chunk of theirs has any of it, and makes those pages of
 * client/page.html: /security, the documents, and the notices of `found`, the packages that the other bundles have.
 */
export function publicPages(found: Found): Plugin {
  let scripts: Record<string, string> = {}
  return {
    name: 'public-pages',
    async buildStart() {
      for (const name of readdirSync(PAGES)) this.addWatchFile(path.join(PAGES, name))
      for (const name of Object.keys(DOCUMENTS)) this.addWatchFile(path.join(root, 'docs', name))
      scripts = {}
      for (const chunk of await buildScripts(found)) {
        this.emitFile({ type: 'asset', fileName: chunk.fileName, source: chunk.code })
        if (chunk.isEntry) scripts[chunk.name] = `/${chunk.fileName}`
      }
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { filename }) {
        const src = scripts[path.basename(filename) === TEMPLATE ? 'security' : 'landing']
        if (!src) throw new Error(`${filename} has no script: see scripts/pages.ts`)
        return [{ tag: 'script', attrs: { type: 'module', src }, injectTo: 'head' }]
      },
    },
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const template = bundle[TEMPLATE]
        if (template?.type !== 'asset') throw new Error(`The build has no ${TEMPLATE}: see scripts/pages.ts`)
        delete bundle[TEMPLATE]
        const notices = noticesOf(found)
        this.emitFile({ type: 'asset', fileName: NOTICES, source: textOf(notices) })
        const { pages } = await loadForBuild<typeof Pages>('site/pages.tsx')
        for (const { file, title, description, html } of pages(documents(), notices, `/${NOTICES}`)) {
          const source = String(template.source)
            .replaceAll('%title%', title)
            .replaceAll('%description%', description)
            .replace('<!--page-->', () => html)
          this.emitFile({ type: 'asset', fileName: file, source })
        }
      },
    },
  }
}

async function buildScripts(found: Found) {
  const built = await vite({
    configFile: false,
    root: path.join(root, 'client'),
    cacheDir: path.join(root, 'node_modules/.vite'),
    publicDir: false,
    logLevel: 'error',
    plugins: [smallerZod({ hasWords: false }), notePackages(found)],
    resolve: { alias: [{ find: /^zod$/, replacement: path.join(root, 'client/zod.ts') }] },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: {
        input: Object.fromEntries(SCRIPTS.map((name) => [name, path.join(PAGES, `${name}.ts`)])),
      },
    },
  })
  if (!('output' in built)) throw new Error('The public pages were not built')
  return built.output.filter((part) => part.type === 'chunk')
}

const documents = (): Pages.Document[] =>
  Object.entries(DOCUMENTS).map(([name, { file, description }]) => {
    const text = readFileSync(path.join(root, 'docs', name), 'utf8')
    const html = htmlOf(text, (link) => DOCUMENTS[path.basename(link)]?.address)
    return { file, description, html, title: `${/^# (.+)$/m.exec(text)?.[1] ?? name} · Conclave` }
  })
