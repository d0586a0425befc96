import { randomBytes } from 'node:crypto'
import { accountApi, type SignedIn } from '../../contract/account/account.ts'
import { devicesApi } from '../../contract/account/devices.ts'
import { passkeysApi } from '../../contract/account/passkeys.ts'
import { type Contact, contactsApi } from '../../contract/chat/contacts.ts'
import { type Draft, type Message, messagesApi } from '../../contract/chat/messages.ts'
import { directRoomId } from '../../contract/ground/shapes.ts'
import type { Authenticator } from './authenticator.ts'
import { type Answer, type Browser, newBrowser } from './browser.ts'
import {
  type Changes,
  changed,
  newDeviceId,
  newIdentity,
  signedChange,
  signedKeys,
  type TestIdentity,
  withDevice,
  withPasskey,
} from './keys.ts'

/** A person with an account, keys and one device, signed in. */
export interface Person extends Browser {
  id: string
  username: string
  /** The value that a browser sends as `password` with kdf 1. */
  authSecret: string
  deviceId: string
  identity: TestIdentity
  unlock: SignedIn['unlock']
  /** Signs in with the password in another browser, which has no device yet. */
  elsewhere(): Promise<Browser>
  /** Signs in again, and proves it. */
  returns(): Promise<SignedIn>
  /** Signs in in another browser and enrols it as a device. */
  addsBrowser(): Promise<Browser & { deviceId: string }>
  /** Changes the account's keys. `identity` becomes the new one after the server has accepted. `via` is the browser that posts. */
  changesKeys(changes: Changes, more?: Extra, via?: Browser): Promise<void>
  /** Adds a passkey that signs in. With `opensKeys` it opens the keyring too. */
  addsPasskey(passkey: Authenticator, opensKeys?: boolean): Promise<void>
  adds(other: Person): Promise<Contact>
  contacts(): Promise<Contact[]>
  /** Both add each other; returns the room's id. */
  talksTo(other: Person): Promise<string>
  says(chatRoomId: string, content: string, more?: Partial<Draft>): Promise<Message>
  /** Posts a message and returns any response. */
  posts(chatRoomId: string, content: string, more?: Partial<Draft>): Promise<Answer>
}

interface Extra {
  kitSecret?: string | null
  /** The authSecret, if the change adds the password as a way in. */
  password?: string
  /** The content of the book under a new history key, base64. */
  sealed?: string
}

export const newAuthSecret = (): string => randomBytes(32).toString('base64url')

/** Registers a person with keys, as a browser at this origin does; its device signs for the session. */
export async function newPerson(url: string, username: string, origin: string): Promise<Person> {
  const browser = newBrowser(url, origin)
  const [authSecret, deviceId] = [newAuthSecret(), newDeviceId()]
  const identity = newIdentity(deviceId, username)
  const form = { username, displayName: username, password: authSecret, confirmPassword: authSecret, kdf: 1 as const }
  const { id, unlock } = await browser.does(accountApi.register, { ...form, keys: signedKeys(identity, deviceId) })
  const { does, tries } = browser
  await browser.proves(deviceId)
  // Object.assign keeps the browser object, whose methods read and store the cookie in it.
  const person: Person = Object.assign(browser, {
    ...{ id, username, authSecret, deviceId, identity, unlock },
    async returns() {
      const signedIn = await does(accountApi.login, { username, password: person.authSecret, kdf: 1, deviceId })
      await person.proves(deviceId)
      return signedIn
    },
    async elsewhere() {
      const other = newBrowser(url, origin)
      await other.does(accountApi.login, { username, password: person.authSecret, kdf: 1 })
      return other
    },
    async addsBrowser() {
      const [other, deviceId] = [await person.elsewhere(), newDeviceId()]
      const next = withDevice(person.identity, deviceId)
      await other.does(devicesApi.enrol, { ...signedKeys(next, deviceId), proof: await other.proofBy(deviceId) })
      person.identity = next
      other.signer = deviceId
      return Object.assign(other, { deviceId })
    },
    async changesKeys(changes: Changes, { kitSecret, password, sealed }: Extra = {}, via: Browser = person) {
      const next = changed(person.identity, changes)
      const { version: bookVersion } = await does(devicesApi.book, {})
      const change = signedChange(person.identity, next, { bookVersion, sealed, ...(kitSecret !== undefined && { kitSecret }) })
      await via.does(devicesApi.changeKeys, { ...change, ...(password !== undefined && { password }) })
      person.identity = next
    },
    async addsPasskey(passkey: Authenticator, opensKeys = false) {
      const { challenge } = await does(passkeysApi.challenge, {})
      const next = withPasskey(person.identity, passkey.id)
      const keys = opensKeys ? { keys: signedChange(person.identity, next) } : {}
      await does(passkeysApi.add, { ...passkey.registers(challenge), name: 'My key', ...keys })
      if (opensKeys) person.identity = next
    },
    adds: (other: Person) => does(contactsApi.add, { username: other.username }),
    contacts: () => does(contactsApi.list, {}),
    async talksTo(other: Person) {
      await does(contactsApi.add, { username: other.username })
      await other.does(contactsApi.add, { username })
      return directRoomId(id, other.id)
    },
    says: (chatRoomId: string, content: string, more?: Partial<Draft>) =>
      does(messagesApi.send, { chatRoomId, content, messageType: 'text', ...more }),
    posts: (chatRoomId: string, content: string, more?: Partial<Draft>) =>
      tries(messagesApi.send, { chatRoomId, content, messageType: 'text', ...more }),
  })
  person.opened = () => person
  return person
}
