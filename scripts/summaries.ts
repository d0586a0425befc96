import type { Plugin } from 'vite'

const SUMMARY = /^ *summary:\s+(?:'(?:[^'\\\n]|\\.)*'|"[^"\n]*"|`[^`]*`),\n/gm

/** What a file of the contract says without the sentences about its calls, which only the server's own description shows. */
export const withoutSummaries = (code: string): string => code.replace(SUMMARY, '')

/** Keeps these sentences out of the page. */
export function noSummaries(): Plugin {
  return {
    name: 'no-summaries',
    apply: 'build',
    enforce: 'pre',
    transform: { filter: { id: /[\\/]contract[\\/].+\.ts$/ }, handler: withoutSummaries },
  }
}
