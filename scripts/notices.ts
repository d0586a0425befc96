import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { FONT_PACKAGES } from './fonts.ts'

const root = path.resolve(import.meta.dirname, '..')
/** Where the built client has the notices, from its root. */
export const NOTICES = 'notices.txt'

/** A work of others of which the built client has a part. */
export interface Notice {
  name: string
  version: string
  licence: string
  /** The licence with its copyright lines, as its author has written it. */
  text: string
}

/** The packages that a build has found so far, by name and version. */
export type Found = Map<string, Notice>

/** What a package has inside of its files under another licence than its own. */
const INSIDE: Record<string, Omit<Notice, 'text'> & { file: string }> = {
  'zxing-wasm': { name: 'zxing-cpp', version: 'inside of zxing-wasm', licence: 'Apache-2.0', file: 'scripts/apache-2.0.txt' },
}

/** Packages without a file of their licence, by the package of the same author that has it. */
const SAME_AUTHOR: Record<string, string> = { 'react-remove-scroll-bar': 'react-remove-scroll' }
/** Packages without one that ask for no notice. */
const FREE: Record<string, string> = {
  wouter:
    'This is free and unencumbered software released into the public domain. Anyone is free to copy, modify, publish, use, compile, sell, or\ndistribute this software, either in source code form or as a compiled binary, for any purpose, commercial or non-commercial, and by any\nmeans. See https://unlicense.org',
}

/**
 * Notes the packages whose code is in a bundle. `build.license` of Vite does the same for the page's bundle, and has no place in those of the
 * worker and of the public pages.
 */
export function notePackages(found: Found): Plugin {
  return {
    name: 'note-packages',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === 'asset') continue
        for (const id of chunk.moduleIds) {
          const folder = packageOf(id)
          if (folder) note(found, folder)
        }
      }
    },
  }
}

/** Adds the packages whose letters are in the built client, and returns all notices by name. */
export function noticesOf(found: Found): Notice[] {
  for (const name of FONT_PACKAGES) note(found, path.join(root, 'node_modules', name))
  return [...found.values()].sort((one, other) => (`${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1))
}

/** The notices as one text. */
export const textOf = (notices: readonly Notice[]): string =>
  [
    'The client of Conclave has code and letters of others. Each is named below with its licence.\n',
    ...notices.map(({ name, version, licence, text }) => `${'-'.repeat(80)}\n${name} ${version} (${licence})\n\n${text}\n`),
  ].join('\n')

/** The folder of the package that a module belongs to; undefined for a module of ours, and for one that a plugin has made. */
function packageOf(id: string): string | undefined {
  const file = id.replace(/[?#].*$/, '')
  return id.startsWith('\0') ? undefined : /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(file)?.[0]
}

function note(found: Found, folder: string): void {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  if (found.has(`${name}@${version}`)) return
  const text = FREE[name] ?? licenceIn(folder) ?? licenceIn(path.join(root, 'node_modules', SAME_AUTHOR[name] ?? name))
  if (!text || typeof license !== 'string') throw new Error(`${name} says no licence: see scripts/notices.ts`)
  found.set(`${name}@${version}`, { name, version, licence: license, text })
  const inside = INSIDE[name]
  if (!inside) return
  const { file, ...rest } = inside
  found.set(`${inside.name}@${inside.version}`, { ...rest, text: readFileSync(path.join(root, file), 'utf8').trim() })
}

/** The texts of a package's licence and notice; undefined if it has none. */
function licenceIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
  const texts = names.sort().map((name) => readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
  return texts.length > 0 ? texts.join('\n\n') : undefined
}
