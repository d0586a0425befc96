import { z } from 'zod'

const USER = 'user'
const PENDING_LOGOUT = 'logout-owed'

const whoShape = z.object({ id: z.string(), username: z.string() })
const logoutShape = z.object({ removeKeys: z.boolean() })

export type StoredUser = z.infer<typeof whoShape>

/** Why this tab was signed out; '' for no reason. */
const ENDED = 'signed-out'

/** Set by client/early.js after the landing. */
const VISITED = 'visited'

export const KEPT_AT_SIGN_OUT: readonly string[] = ['theme', 'text', VISITED, PENDING_LOGOUT]

export const readUser = (): StoredUser | undefined => whoShape.safeParse(readJson(USER)).data

export const readEnded = (): string | undefined => sessionStorage.getItem(ENDED) ?? undefined

export const writeEnded = (notice: string): void => sessionStorage.setItem(ENDED, notice)

export const dropEnded = (): void => sessionStorage.removeItem(ENDED)

/** Permissions never depend on this. */
export const writeUser = (user: StoredUser & { displayName: string }): void => localStorage.setItem(USER, JSON.stringify(user))

/** A foreign value removes no keys. */
export function readPendingLogout(): { removeKeys: boolean } | undefined {
  if (localStorage.getItem(PENDING_LOGOUT) === null) return undefined
  return logoutShape.safeParse(readJson(PENDING_LOGOUT)).data ?? { removeKeys: false }
}

export const writePendingLogout = (logout: { removeKeys: boolean }): void =>
  localStorage.setItem(PENDING_LOGOUT, JSON.stringify(logout))

export const dropPendingLogout = (): void => localStorage.removeItem(PENDING_LOGOUT)

function readJson(key: string): unknown {
  const text = localStorage.getItem(key)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    // Foreign code of this origin may write values.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
