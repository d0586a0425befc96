import { z } from 'zod'

const USER = 'user'
const PENDING_LOGOUT = 'logout-owed'

const whoShape = z.object({ id: z.string(), username: z.string() })
const logoutShape = z.object({ removeKeys: z.boolean() })

/** The user who last used this page. */
export type StoredUser = z.infer<typeof whoShape>

/** Key of sessionStorage under which a tab keeps why it was signed out, until the next sign-in; '' if there is nothing to say. */
const ENDED = 'signed-out'

/** Key of localStorage by which client/early.js notes that this browser has been past the landing. */
const VISITED = 'visited'

/** The keys of localStorage that a sign-out keeps. */
export const KEPT_AT_SIGN_OUT: readonly string[] = ['theme', VISITED, PENDING_LOGOUT]

/** Reads the user who last used this page; undefined for none, and for a value that no build of this page has written. */
export const readUser = (): StoredUser | undefined => whoShape.safeParse(readJson(USER)).data

/** Why this tab was signed out, also after a reload; undefined if it was not. */
export const readEnded = (): string | undefined => sessionStorage.getItem(ENDED) ?? undefined

export const writeEnded = (notice: string): void => sessionStorage.setItem(ENDED, notice)

export const dropEnded = (): void => sessionStorage.removeItem(ENDED)

/** Stores the user who last used this page. Permissions never depend on this. */
export const writeUser = (user: StoredUser & { displayName: string }): void => localStorage.setItem(USER, JSON.stringify(user))

/**
 * Reads a logout that the server does not know of; undefined if there is none. A value that no build of this page has written
 * counts as a logout that removes no keys.
 */
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
    // Other code of this origin, an extension or the person wrote it: it says nothing.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
