import type { Env } from '../../env.ts'
import { keepAsking } from '../../net/pauses.ts'
import { start } from '../account/account.ts'

/** Until the server answers who is signed in. Returns how to stop. */
export const startWhenReached = (env: Env, report: (error: unknown) => void): (() => void) =>
  keepAsking(() => start(env, report).catch(report)).stop
