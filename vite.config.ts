import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { entryOnce } from './scripts/entryonce.ts'
import { cutFonts, FONTS } from './scripts/fonts.ts'
import { staticFrames } from './scripts/frames.ts'
import { type Found, notePackages } from './scripts/notices.ts'
import { publicPages } from './scripts/pages.ts'
import { smallerZod } from './scripts/schemas.ts'
import { noSummaries } from './scripts/summaries.ts'
import { serviceWorker } from './scripts/worker.ts'

const inClient = (file: string) => path.join(import.meta.dirname, 'client', file)

/** What index.html loads whatever it shows: it may not bring the app along. */
const OF_THE_PAGE = /client[\\/]app[\\/]entry\.ts$|vite\/preload-helper/

/** Small files that the chat and much else needs: in files of their own they are more requests, and more bytes. */
const SHARED =
  /icons[\\/](copy|info|chevron-left|shield-check)\.|client[\\/]ui[\\/](CopyButton|useCopy|IconButton|useLatest)\.tsx$/

/** What both the form and the chat need, beyond the start. A file that is missing here makes the chat load the form. */
const OF_FORM_AND_CHAT =
  /icons[\\/](shield-exclamation-point|key-round|check|x|circle-exclamation-point|file-key|phone-off)\.|client[\\/]ui[\\/](failure|Mark|Note)\.tsx?$|client[\\/]me[\\/]account[\\/](keys|browserName|passkeysWork)\.ts$/

/** What the worker's entry imports, and not the entry itself. */
const NO_ENTRY = /^(?!.*client[\\/]worker[\\/]worker\.ts)/

/** The packages of which the page, the worker or the public pages have code. */
const found: Found = new Map()

export default defineConfig({
  root: 'client',
  cacheDir: '../node_modules/.vite',
  plugins: [
    react(),
    smallerZod({ hasWords: true }),
    noSummaries(),
    cutFonts(),
    staticFrames(),
    notePackages(found),
    publicPages(found),
    serviceWorker(),
  ],
  resolve: {
    alias: [
      // Every schema imports zod, so the settings there hold before the first one is made, in whatever order chunks are loaded.
      { find: /^zod$/, replacement: inClient('zod.ts') },
      { find: /^react-style-singleton$/, replacement: inClient('ui/nostyle.ts') },
      { find: /^crypto$/, replacement: inClient('nonode.ts') },
      { find: '@fonts', replacement: FONTS },
    ],
  },
  worker: {
    format: 'es',
    // The worker says in its own words what does not hold.
    plugins: () => [smallerZod({ hasWords: false }), entryOnce(), notePackages(found)],
    // What the worker starts with stays one file beside its entry: parts that are loaded later would else cut it into many.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'core', tags: ['$initial'], test: NO_ENTRY }] } } },
  },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: false,
    // The Content-Security-Policy allows no data: fonts or images.
    assetsInlineLimit: 0,
    // Vite's polyfill would be an inline script.
    modulePreload: { polyfill: false },
    // What the first screen needs comes in two files instead of twenty: the libraries, which change seldom, and our own code. So does what
    // the form and the chat need beyond it: a group takes whatever its files import, unless a group above has it.
    rolldownOptions: {
      // The start of the app is loaded by client/app/entry.ts where a page needs it, and is an entry of its own for the groups below.
      input: { index: inClient('index.html'), page: inClient('page.html'), start: inClient('app/start.ts') },
      output: {
        codeSplitting: {
          groups: [
            { name: 'entry', tags: ['$initial'], test: OF_THE_PAGE, priority: 1 },
            { name: 'libraries', tags: ['$initial'], test: /[\\/]node_modules[\\/]/ },
            { name: 'first', tags: ['$initial'], test: /\.tsx?$/ },
            { name: 'account', test: OF_FORM_AND_CHAT },
            { name: 'shared', test: SHARED },
            { name: 'tabs', test: /@radix-ui[\\/]react-tabs[\\/]/ },
            { name: 'AuthScreen', test: /client[\\/]me[\\/]signin[\\/]AuthScreen\.tsx$/ },
            { name: 'lock', test: /client[\\/]me[\\/]browserlock[\\/]browserlock\.ts$/ },
            { name: 'Messenger', test: /client[\\/]app[\\/](Messenger\.tsx|session\.ts)$/ },
          ],
        },
      },
    },
  },
})
