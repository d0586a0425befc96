import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'vite'

const PLACE = '<!--frames-->'

/** The fonts of both first frames. */
const FIRST_FONTS = /(?:inter|newsreader)-text-[^/]*\.woff2$/

/**
 * Fills the first frames into index.html, rendered by the components that take their place (client/app/frames.tsx), and has their
 * fonts loaded with the styles that name them.
 */
export function staticFrames(): Plugin {
  return {
    name: 'static-frames',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle = {} }) {
        const fonts = Object.keys(bundle).filter((file) => FIRST_FONTS.test(file))
        if (!html.includes(PLACE) || fonts.length !== 2)
          throw new Error(`index.html needs ${PLACE}, and two fonts: see scripts/frames.ts`)
        return {
          html: html.replace(PLACE, await render()),
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

async function render(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'conclave-frames-'))
  try {
    const file = path.join(folder, 'frames.cjs')
    await build({
      entryPoints: [path.join(import.meta.dirname, '../client/app/frames.tsx')],
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      jsx: 'automatic',
      loader: { '.css': 'empty' },
      // Node has no WebSocket, and nothing is connected.
      define: { 'process.env.NODE_ENV': '"production"', WebSocket: 'undefined' },
      logLevel: 'error',
    })
    const made: { frames: () => string } = createRequire(file)(file)
    return made.frames()
  } finally {
    rmSync(folder, { recursive: true })
  }
}
