import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const folders: string[] = []

/** A folder of this run, gone with it. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `conclave-bench-${name}-`))
  folders.push(folder)
  return folder
}

/** Once nothing runs in them any more. */
export function dropScratch(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}
