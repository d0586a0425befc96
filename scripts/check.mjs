// `npm run check`: every convention that a program can check, one line a step.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folders = ['client', 'server', 'contract', 'e2e', 'bench', 'faults', 'scripts', 'walks'].filter((folder) =>
  existsSync(join(root, folder)),
)

// Each step names a binary in node_modules/.bin, because npx would add seconds and warnings.
const steps = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`]],
  ['types', 'tsc', ['--noEmit', '--pretty', String(process.stdout.isTTY === true)]],
  ['import rules', 'depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders], readCruise],
  ['unused code', 'knip', ['--no-progress']],
  ['the house', 'tsx', ['scripts/check/house.main.ts']],
]

/** Formats the violations. A run without modules fails, because then the parser for TypeScript is missing. */
function readCruise(json) {
  const { totalCruised, violations, ruleSetUsed } = JSON.parse(json).summary
  if (totalCruised === 0) return 'dependency-cruiser saw no module. It needs @swc/core beside TypeScript 7'
  const sentence = (name) => ruleSetUsed.forbidden.find((rule) => rule.name === name)?.comment ?? ''
  return violations.map(({ from, to, rule }) => `  ${rule.name}: ${from} -> ${to}\n    ${sentence(rule.name)}`).join('\n')
}

let failed = 0
for (const [name, command, args, read] of steps) {
  const startedAt = Date.now()
  const { status, stdout, stderr, error } = spawnSync(join(root, 'node_modules/.bin', command), args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  const report = error ? error.message : read && stdout ? read(stdout) : `${stdout}${stderr}`
  const isFine = !error && status === 0 && (!read || report === '')
  console.log(`${isFine ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  if (isFine) continue
  failed++
  console.log(report || stderr)
}

if (failed > 0) {
  console.log(`\n${failed} of ${steps.length} failed.`)
  process.exitCode = 1
}
