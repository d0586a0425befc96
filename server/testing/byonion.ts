import { accountApi } from '../../contract/account/account.ts'
import { type Browser, newBrowser } from './browser.ts'
import type { Person } from './person.ts'

/** Signs a person in at another listener, with the same device: a session of one listener opens nothing at another. */
export async function signsInAt(url: string, person: Person, origin: string): Promise<Browser> {
  const browser = newBrowser(url, origin)
  await browser.does(accountApi.login, { username: person.username, password: person.authSecret, kdf: 1 })
  await browser.proves(person.deviceId)
  return browser
}
