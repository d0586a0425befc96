import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { loadForBuild } from './render.ts'

const PLACE = '<!--frames-->'

/** The fonts of the first frames and of the public pages. */
const FIRST_FONTS = /(?:inter|newsreader)-text-[^/]*\.woff2$/

/** The early script, which the build names by its content like all that a page is made of: no page may get another version's. */
const EARLY = '/early.js'
const BUILT_EARLY = /early-[^/]*\.js$/

/**
 * Fills the first frames into index.html, rendered by the components that take their place (client/app/frames.tsx), and has the early
 * script and the fonts of every page loaded under the names that they got.
 */
export function staticFrames(): Plugin {
  return {
    name: 'static-frames',
    buildStart() {
      const file = path.join(import.meta.dirname, '../client', EARLY)
      this.addWatchFile(file)
      this.emitFile({ type: 'asset', name: path.basename(EARLY), source: readFileSync(file) })
    },
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle = {}, filename }) {
        const fonts = Object.keys(bundle).filter((file) => FIRST_FONTS.test(file))
        const early = Object.keys(bundle).find((file) => BUILT_EARLY.test(file))
        const isIndex = path.basename(filename) === 'index.html'
        if (html.includes(PLACE) !== isIndex || !html.includes(`"${EARLY}"`) || !early || fonts.length !== 2)
          throw new Error(`${filename} needs ${PLACE}, ${EARLY} and two fonts: see scripts/frames.ts`)
        const frames = isIndex ? (await loadForBuild<{ frames: () => string }>('app/frames.tsx')).frames() : ''
        return {
          html: html.replace(PLACE, () => frames).replace(`"${EARLY}"`, `"/${early}"`),
          tags: fonts.map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: true },
            injectTo: 'head' as const,
          })),
        }
      },
    },
  }
}
