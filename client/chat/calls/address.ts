import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { saveBook } from '../../rooms/trust/book.ts'

/** True if calls go through a relay alone: as the account has chosen, else as the server says. */
export const hidesAddress = async (env: Env, hidesByDefault: boolean): Promise<boolean> =>
  (await env.crypto.readHideAddress()) ?? hidesByDefault

/** Null: by default. Kept if the server cannot be reached, and saved later. */
export async function setHidesAddress(env: Env, value: boolean | null): Promise<void> {
  await env.crypto.setHideAddress(value)
  await saveBook(env).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}
