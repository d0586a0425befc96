import type { Env } from '../env.ts'
import * as store from './store.ts'

/** Rows and bytes differ. The log shows an error's name alone, so the counts stand there. */
class FilesDiffer extends Error {
  constructor(strays: number, losses: number) {
    super('Rows and bytes of files differ')
    this.name = `FilesDiffer: ${strays} without a row, ${losses} without bytes`
  }
}

const PREFIXES = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))

/**
 * Makes the work of the job that compares rows and bytes: each call looks at the names that begin with two characters. After the last
 * ones it throws if bytes without a row were found, or rows whose bytes are gone. It changes nothing: a backup that was brought back by
 * half may be completed.
 */
export function compareInPieces(): (env: Env) => Promise<boolean> {
  let at = 0
  let found = { strays: 0, losses: 0 }
  return async (env) => {
    const { strays, losses } = await compare(env, PREFIXES[at] ?? '00')
    found = { strays: found.strays + strays, losses: found.losses + losses }
    at = (at + 1) % PREFIXES.length
    if (at > 0) return true
    const all = found
    found = { strays: 0, losses: 0 }
    if (all.strays > 0 || all.losses > 0) throw new FilesDiffer(all.strays, all.losses)
    return false
  }
}

async function compare(env: Env, prefix: string): Promise<{ strays: number; losses: number }> {
  const names = new Set(await env.bucket.list(prefix))
  const rows = await store.findNamed(env.db, prefix)
  const strays = [...names].filter((name) => !rows.has(name))
  const losses = [...rows].filter(([name, isKept]) => isKept && !names.has(name)).map(([name]) => name)
  if (strays.length === 0 && losses.length === 0) return { strays: 0, losses: 0 }
  // Files came and went between the two looks. What was there at both, without the other, is meant.
  const [later, laterNames] = [await store.findNamed(env.db, prefix), new Set(await env.bucket.list(prefix))]
  return {
    strays: strays.filter((name) => laterNames.has(name) && !later.has(name)).length,
    losses: losses.filter((name) => !laterNames.has(name) && later.get(name)).length,
  }
}
