import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { houseChecks } from './house.ts'
import type { TrackedFile } from './tracked.ts'

// Untracked files count too unless they are ignored, so that a check before their first commit sees them.
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
const files: TrackedFile[] = listed
  .split('\0')
  .filter((path) => path !== '' && existsSync(path))
  .map((path) => {
    const bytes = readFileSync(path)
    return { path, text: bytes.includes(0) ? '' : bytes.toString('utf8') }
  })

if (files.length === 0) throw new Error('No file was seen')
for (const [name, find] of Object.entries(houseChecks)) {
  const found = find(files)
  for (const line of found) console.error(`  ${name}: ${line}`)
  if (found.length > 0) process.exitCode = 1
}
