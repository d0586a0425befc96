import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const folders: string[] = []

/** Makes a temporary folder, which is removed when the run ends. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `conclave-bench-${name}-`))
  folders.push(folder)
  return folder
}

/** Removes the temporary folders. No process may use them any more. */
export function dropScratch(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}
