import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inlineFaults, loadedBy, tagsOf } from './html.ts'

/**
 * Gives every script, modulepreload and style sheet in the pages of a built client its `integrity`, so that the browser itself refuses
 * other bytes. What these load later is covered by the service worker, which compares each file with the build. Throws if a page has
 * anything inline, which the policy would stop.
 */
export function addIntegrity(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.html'))) {
    const file = path.join(folder, name)
    const html = withIntegrity(readFileSync(file, 'utf8'), (address) => readFileSync(path.join(folder, address)))
    const [fault] = inlineFaults(html)
    if (fault) throw new Error(`${name} has ${fault}`)
    writeFileSync(file, html)
  }
}

/** `read` returns the bytes behind an address of this build. */
export function withIntegrity(html: string, read: (address: string) => Uint8Array): string {
  return tagsOf(html).reduce((rest, tag) => {
    const address = loadedBy(tag)
    if (address === undefined || tag.attributes['integrity'] !== undefined) return rest
    const hash = createHash('sha384').update(read(address)).digest('base64')
    return rest.replace(tag.source, tag.source.replace(/\s*\/?>$/, ` integrity="sha384-${hash}">`))
  }, html)
}
