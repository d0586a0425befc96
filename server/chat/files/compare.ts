import type { Env } from '../../env.ts'
import * as store from './store.ts'

const NAMED_MAX = 50

/** Ids of bytes without a row, and of rows without bytes. */
interface Found {
  strays: string[]
  losses: string[]
}

/** The log shows an error's name alone, so the name has counts and ids for the operator. */
class FilesDiffer extends Error {
  constructor({ strays, losses }: Found) {
    super('Rows and bytes of files differ')
    this.name = `FilesDiffer: ${wordsOf(strays, 'without a row')}, ${wordsOf(losses, 'without bytes')}`
  }
}

/** "2 without a row (…, …)" */
function wordsOf(ids: string[], what: string): string {
  const named = ids.slice(0, NAMED_MAX).join(', ')
  const more = ids.length > NAMED_MAX ? ' and more' : ''
  return `${ids.length} ${what}${named && ` (${named}${more})`}`
}

const PREFIXES = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))

/**
 * Compares the names of one prefix per call; throws after the last if something is missing. Deletes nothing: a half-restored
 * backup may be completed.
 */
export function compareInPieces(): (env: Env) => Promise<boolean> {
  let at = 0
  let found: Found = { strays: [], losses: [] }
  return async (env) => {
    const { strays, losses } = await compare(env, PREFIXES[at] ?? '00')
    found = { strays: [...found.strays, ...strays], losses: [...found.losses, ...losses] }
    at = (at + 1) % PREFIXES.length
    if (at > 0) return true
    const all = found
    found = { strays: [], losses: [] }
    if (all.strays.length > 0 || all.losses.length > 0) throw new FilesDiffer(all)
    return false
  }
}

async function compare(env: Env, prefix: string): Promise<Found> {
  const names = new Set(await env.bucket.list(prefix))
  const rows = await store.findNamed(env.db, prefix)
  const strays = [...names].filter((name) => !rows.has(name))
  const losses = [...rows].filter(([name, isKept]) => isKept && !names.has(name)).map(([name]) => name)
  if (strays.length === 0 && losses.length === 0) return { strays, losses }
  // Both looks must agree, as files come and go.
  const [later, laterNames] = [await store.findNamed(env.db, prefix), new Set(await env.bucket.list(prefix))]
  return {
    strays: strays.filter((name) => laterNames.has(name) && !later.has(name)),
    losses: losses.filter((name) => !laterNames.has(name) && later.get(name)),
  }
}
