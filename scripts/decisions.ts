// Writes docs/decisions/README.md, the index of the decisions, from their first lines.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { INDEX, indexOf } from './check/decisions.ts'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.dirname(INDEX)
const files = readdirSync(path.join(root, folder)).map((name) => {
  const file = `${folder}/${name}`
  return { path: file, text: readFileSync(path.join(root, file), 'utf8') }
})
writeFileSync(path.join(root, INDEX), indexOf(files))
