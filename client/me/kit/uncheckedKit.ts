import { readUser } from '../account/storedUser.ts'

/** Key of localStorage: the account whose kit was shown here and not checked. A sign-out drops it. */
const SHOWN = 'kit-shown'

/** True if a kit of this account was shown in this browser and its words were never checked: that page opens nothing. */
export function hasUncheckedKit(): boolean {
  const user = readUser()
  return user !== undefined && localStorage.getItem(SHOWN) === user.id
}

/** Notes that a kit is on screen that opens nothing yet. During a recovery nobody is signed in, and nothing is noted. */
export function noteKitShown(): void {
  const user = readUser()
  if (user) localStorage.setItem(SHOWN, user.id)
}

export const dropKitShown = (): void => localStorage.removeItem(SHOWN)
