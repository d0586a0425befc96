import type { Plugin } from 'vite'

/**
 * Refuses a build in which a part of a worker imports the worker's entry. WebKit runs the entry a second time then, with a memory of its
 * own: whatever the first run has learned, such as the entered password, is gone.
 */
export const entryOnce = (): Plugin => ({
  name: 'entry-once',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const entry = [...chunk.imports, ...chunk.dynamicImports].find((name) => {
        const imported = bundle[name]
        return imported?.type === 'chunk' && imported.isEntry
      })
      if (entry !== undefined) this.error(`${chunk.fileName} imports the worker's entry ${entry}`)
    }
  },
})
