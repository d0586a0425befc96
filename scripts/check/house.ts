import { findStraightApostrophes } from './apostrophes.ts'
import { findUnboundedShapes } from './bounds.ts'
import { findUnprovenClaims } from './claims.ts'
import ceilings from './comments.json' with { type: 'json' }
import { findOpeningsWithoutSubject, findTalkativeFolders } from './comments.ts'
import { findDecisionFaults } from './decisions.ts'
import { findUndirectedText } from './direction.ts'
import { findFolderCycles, findRootImports } from './folders.ts'
import { findInnerWords } from './inner.ts'
import { findLockGaps, findRefusedNode } from './lock.ts'
import { findGonePaths } from './paths.ts'
import { findUnknownTests } from './titles.ts'
import type { TrackedFile } from './tracked.ts'

const LINES_MAX = 300
const REFUSED_NAMES = [
  'utils?',
  'helpers?',
  'common',
  'misc',
  'manager',
  'service',
  'handler',
  'controller',
  'base',
  'impl',
  'data',
  'info',
]
const refusedName = new RegExp(`(^|[-_. ])(${REFUSED_NAMES.join('|')})$`, 'i')

/** Paths and hosts that exist on one machine or in one company's network only. */
const PRIVATE_PLACES = [
  /(^|[\s"'`(=:])\/work\b/,
  /\/(home|Users)\/[a-z][\w.-]*\//,
  /(^|[\s"'`(])(\.\.\/)*shared\/[\w-]+\.(md|mjs)/,
  /\bhttps?:\/\/(?!registry\.npmjs\.org)[\w.-]*(registry|artifactory|nexus|verdaccio|npm-proxy)[\w.-]*(:\d+)?\//i,
]

const isTest = (path: string) => /[.]test[.]tsx?$/.test(path)
const isCode = (path: string) => /[.](ts|tsx|mjs|cjs)$/.test(path)

/** Finds files that are too long to read at once. Tests, migrations and the schema are exempt. */
export function findLongFiles(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /[.]tsx?$/.test(path) && !isTest(path))
    .filter(({ path }) => !path.startsWith('server/ground/db/migrations/') && !path.startsWith('server/ground/db/schema/'))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX)
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${LINES_MAX}. Split it by verb`)
}

/** Finds meaningless file and folder names. Each part between dots, dashes and capitals is checked. */
export function findRefusedNames(files: TrackedFile[]): string[] {
  const found = files.flatMap(({ path }) =>
    path
      .split('/')
      .filter((part) => {
        const words = part.replace(/[.][a-z.]+$/, '').replace(/([a-z])([A-Z])/g, '$1-$2')
        return words.split(/[-_. ]/).some((word) => refusedName.test(word))
      })
      .map((part) => `${path}: "${part}" says nothing. Name the noun or the verb`),
  )
  return [...new Set(found)]
}

/** Names that say the role of a file in its folder. */
const ROLES = /^(store|store-[^/]+|routes|frames|testing)$/

/** Finds files of one wing that have the same name: whoever opens a file by its name should get one answer. */
export function findNamesTwice(files: TrackedFile[]): string[] {
  const places = new Map<string, string[]>()
  for (const { path } of files) {
    const [, wing, name] = /^((?:client|server|contract)\/[^/]+)\/(?:.*\/)?([^/]+)[.]tsx?$/.exec(path) ?? []
    const isOutside = isTest(path) || /^(client|server)\/testing\/|\/(migrations|schema)\//.test(path)
    if (!wing || !name || isOutside || ROLES.test(name)) continue
    places.set(`${wing} ${name}`, [...(places.get(`${wing} ${name}`) ?? []), path])
  }
  return [...places.values()].filter((paths) => paths.length > 1).map((paths) => `${paths.join(' and ')} have one name`)
}

/** Finds broken relative links in documents. */
export function findBrokenLinks(files: TrackedFile[]): string[] {
  const paths = files.map(({ path }) => path)
  const exists = (target: string) => target === '' || paths.some((path) => path === target || path.startsWith(`${target}/`))
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => !exists(resolveLink(path, link)))
        .map((link) => `${path}: the link ${link} leads nowhere`),
    )
}

function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '').filter((link) => !/^([a-z]+:|#)/.test(link))
}

function resolveLink(from: string, link: string): string {
  const parts = link.startsWith('/') ? [] : from.split('/').slice(0, -1)
  for (const part of link.replace(/[#?].*$/, '').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/**
 * Finds notes that code cites and no document defines. A rule is defined as `**P1.**` in docs/protocol.md, any other note
 * as a heading or in bold. Rules may be cited together: `[Note: P1, P2]`.
 */
export function findUnknownNotes(files: TrackedFile[]): string[] {
  const documents = files.filter(({ path }) => path.endsWith('.md')).map(({ text }) => text)
  const defined = new Set(
    documents.flatMap((text) => [...text.matchAll(/\*\*([^*\n]+)\*\*|^#+ (.+)$/gm)].map((match) => plain(match[1] ?? match[2]))),
  )
  return files
    .filter(({ path }) => isCode(path) && !path.startsWith('scripts/check/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\[Note: ([^\]]+)\]/g)]
        .flatMap(([, cited = '']) => (/^[A-Z]\d(, |$)/.test(cited) ? cited.split(', ') : [cited]))
        .filter((label) => !defined.has(plain(label)))
        .map((label) => `${path}: [Note: ${label}] is defined nowhere`),
    )
}

const plain = (label = '') => label.trim().replace(/[.]$/, '').toLowerCase()

/** Finds machine paths, hosts of private registries and folders outside the repository. */
export function findPrivatePlaces(files: TrackedFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        PRIVATE_PLACES.some((place) => place.test(line)) ? [`${path}:${at + 1}: ${line.trim().slice(0, 120)}`] : [],
      ),
  )
}

/** Finds SQL outside stores. An SQL string needs no import, so the import rules cannot see it. */
export function findLooseSql(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^server\/.*[.]ts$/.test(path) && !isTest(path))
    .filter(({ path }) => !/^server\/(ground\/db|testing)\/|\/store(-[^/]+)?[.]ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\b(db|tx|pool|client)[.](execute|query|select|insert|update|delete|[$]count)\b/g)].map(
        ([call]) => `${path}: ${call}. SQL stands in store.ts or store-<noun>.ts`,
      ),
    )
}

/** Finds imports of the encryption worker's code, which would bring keys into the page. Only its address may be named. */
export function findSideDoors(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^client\/.*[.]tsx?$/.test(path) && !path.startsWith('client/worker/') && !isTest(path))
    .filter(({ text }) => /worker\/worker[.]ts['"]/.test(text))
    .map(({ path }) => `${path}: import worker/worker.ts as an address, with "?worker&url"`)
}

const TIERS = '[\'"](free|test|premium|master|enterprise)[\'"]'
const TIER_COMPARISONS = [
  new RegExp(`(tier|plan)\\w*[\\])]*\\s*[!=]==?\\s*${TIERS}`, 'i'),
  new RegExp(`${TIERS}\\s*[!=]==?\\s*[\\w.?[]*(tier|plan)`, 'i'),
  /\bcase ['"](premium|master|enterprise)['"]/,
  // A comparison in SQL; after "set" it is an assignment.
  new RegExp(`(?<!\\bset )\\bsubscription_tier\\s*(=|<>|!=|is (not )?distinct from|(not )?in \\()\\s*${TIERS}`, 'i'),
]

/** Finds code that compares a plan's name instead of asking for a right. Tests and migrations are exempt. */
export function findTierComparisons(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => isCode(path) && !isTest(path) && path !== 'contract/money/plans.ts')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, at) =>
          TIER_COMPARISONS.some((pattern) => pattern.test(line))
            ? [
                `${path}:${at + 1}: ask hasRight of contract/money/plans.ts, or join plan_rights, instead of comparing a plan's name`,
              ]
            : [],
        ),
    )
}

/** Finds snapshots of migrations beside the newest one, the only one that drizzle-kit reads. */
export function findOldSnapshots(files: TrackedFile[]): string[] {
  const snapshots = files.map(({ path }) => path).filter((path) => /\/migrations\/meta\/\d+_snapshot[.]json$/.test(path))
  return snapshots
    .sort()
    .slice(0, -1)
    .map((path) => `${path}: delete it, only the newest snapshot is kept`)
}

/** The checks that are particular to this repository, by name. */
export const houseChecks = {
  'file sizes': findLongFiles,
  'file names': findRefusedNames,
  'names in a wing': findNamesTwice,
  'words of comments': (files: TrackedFile[]) => findTalkativeFolders(files, ceilings.words),
  'openings of comments': (files: TrackedFile[]) => findOpeningsWithoutSubject(files, ceilings.openings),
  'links in documents': findBrokenLinks,
  'paths that documents name': findGonePaths,
  decisions: findDecisionFaults,
  'notes cited in code': findUnknownNotes,
  'places of one machine': findPrivatePlaces,
  'side doors to keys': findSideDoors,
  'shapes without a bound': findUnboundedShapes,
  'SQL in stores': findLooseSql,
  'folder cycles': findFolderCycles,
  'what lies below all folders': findRootImports,
  'names of plans': findTierComparisons,
  'snapshots of migrations': findOldSnapshots,
  'the lock of packages': findLockGaps,
  'the oldest Node': findRefusedNode,
  'tests that documents name': findUnknownTests,
  'claims of the public pages': findUnprovenClaims,
  'apostrophes on screen': findStraightApostrophes,
  'words of the protocol on screen': findInnerWords,
  'directions of what people type': findUndirectedText,
}
