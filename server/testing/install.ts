import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'

/**
 * Installs the packages of `server/testing/<name>/package.json` beside the others, once: they are too large for everybody to install.
 * Returns the folder that has them. Returns undefined, and says so in one line, where that is not possible or takes longer.
 */
export function installPackages(name: string, what: string, patienceSeconds: number): string | undefined {
  const folder = path.resolve(import.meta.dirname, `../../node_modules/.${name}`)
  if (existsSync(folder)) return folder
  // What is begun and never finished is in nobody's way.
  const begun = `${folder}-${process.pid}`
  mkdirSync(begun, { recursive: true })
  copyFileSync(path.join(import.meta.dirname, name, 'package.json'), path.join(begun, 'package.json'))
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0']
  const { status } = spawnSync('npm', words, { cwd: begun, stdio: 'ignore', timeout: patienceSeconds * 1000 })
  if (status === 0 && !existsSync(folder)) renameSync(begun, folder)
  rmSync(begun, { recursive: true, force: true })
  if (existsSync(folder)) return folder
  process.stderr.write(`skipped: ${what} could not be installed from npm\n`)
  return undefined
}
