import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { FONT_PACKAGES } from './fonts.ts'
import { NOTICES } from './notices.ts'

const root = path.resolve(import.meta.dirname, '..')
const built = (name: string) => readFileSync(path.join(root, 'dist/client', name), 'utf8')
/** The notices of the built client: the heading of each, and its text. */
const notices = () =>
  built(NOTICES)
    .split(`${'-'.repeat(80)}\n`)
    .slice(1)
    .map((part) => ({ heading: part.slice(0, part.indexOf('\n')), text: part.slice(part.indexOf('\n')).trim() }))
const textsOf = (name: string) => notices().flatMap(({ heading, text }) => (heading.startsWith(`${name} `) ? [text] : []))

/** The packages that files of a folder import at run time. */
function importedBy(folder: string): string[] {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
  const shipped = files.filter((file) => /[.]tsx?$/.test(file) && !/[.]test[.]|^testing\//.test(file))
  const names = shipped.flatMap((file) => {
    const text = readFileSync(path.join(root, folder, file), 'utf8')
    // Some are loaded when they are needed.
    const imports = text.matchAll(
      /^import (?!type )[^'"]*from '((?:@[\w-]+\/)?[\w-]+)[^']*'$|\bimport\('((?:@[\w-]+\/)?[\w-]+)/gm,
    )
    return [...imports].map(([, name, later = '']) => name ?? later)
  })
  return [...new Set(names)].filter((name) => !name.startsWith('node'))
}

test('the client hands out the notices of React and Radix, and the licence of each font', () => {
  expect(textsOf('react')).toEqual([expect.stringMatching(/MIT License[\s\S]+Copyright \(c\) Meta/)])
  expect(textsOf('@radix-ui/react-dialog')).toEqual([expect.stringMatching(/MIT License[\s\S]+WorkOS/)])
  expect(FONT_PACKAGES).toHaveLength(4)
  for (const font of FONT_PACKAGES) expect(textsOf(font), font).toEqual([expect.stringContaining('SIL OPEN FONT LICENSE')])
  expect(textsOf('zxing-cpp')).toEqual([expect.stringContaining('Apache License')])
})

test('each package that the page, the worker or a public page imports is named, with the text of its licence', () => {
  const imported = [...importedBy('client'), ...importedBy('contract')]
  expect(imported).toContain('ts-mls')
  // It hands on what packages of its own name have, and is in no bundle itself.
  const isHandedOn = (name: string) => name === 'radix-ui'
  const without = [...new Set(imported)].filter((name) => !isHandedOn(name) && textsOf(name).length === 0)
  expect(without).toEqual([])
  for (const { heading, text } of notices()) expect(text.length, heading).toBeGreaterThan(200)
})

test('the page of the notices names each work and leads to the texts, and both belong to the build', () => {
  const page = built('notices.html')
  expect(page).toContain(`href="/${NOTICES}"`)
  for (const { heading } of notices()) expect(page, heading).toContain(`<td>${heading.split(' ')[0]}</td>`)
  const { files } = JSON.parse(built('build.json')) as { files: Record<string, string> }
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['/security/notices', `/${NOTICES}`]))
})
