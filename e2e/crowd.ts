import { randomUUID } from 'node:crypto'
import 'fake-indexeddb/auto'
import { createCore } from '../client/crypto/core.ts'
import type { Env } from '../client/env.ts'
import { flushRoom, waitOf } from '../client/messages/outbox.ts'
import { createApi } from '../client/net/api.ts'
import { roomOfContact } from '../client/rooms/contact.ts'
import { endSignUp, signUp } from '../client/signin/signin.ts'
import { openBrowser } from '../client/testing/browser.ts'
import { syncBook } from '../client/trust/book.ts'
import { refreshOwnDevices } from '../client/trust/own.ts'
import { type Contact, contactsApi } from '../contract/contacts.ts'

/** A user with the real client code and keys at the real server, but without a browser window, so that many of them cost little. */
export interface HeadlessUser {
  username: string
  adds(username: string): Promise<void>
  accepts(username: string): Promise<void>
  says(username: string, texts: string[]): Promise<void>
}

const nothing = () => undefined
let users = 0
// The verbs of a sign-up read a browser's globals.
openBrowser()

/** Signs up at a server that trusts one proxy. Each user has another IP address, because rate limits count by address. */
export async function headlessUser(url: string, name: string): Promise<HeadlessUser> {
  users += 1
  const { origin } = new URL(url)
  const headers = { origin, 'x-forwarded-for': `10.0.${users >> 8}.${users & 255}` }
  const username = `${name}_${randomUUID().slice(0, 8)}`
  let cookie = ''
  const api = createApi({
    async fetch(path, init) {
      const given = Object.fromEntries(new Headers(init.headers))
      const { method, body } = init
      const answer = await fetch(url + path, {
        ...(method && { method }),
        ...(body && { body }),
        headers: { ...given, ...headers, ...(cookie && { cookie }) },
      })
      for (const line of answer.headers.getSetCookie()) if (line.includes('_session=')) cookie = line.split(';')[0] ?? ''
      return answer
    },
  })
  const core = createCore(() => origin)
  const socket = {
    open: nothing,
    close: nothing,
    isAlive: () => false,
    reconnect: nothing,
    retry: nothing,
    send: () => false,
    on: () => nothing,
  }
  const env: Env = { api, crypto: core, socket, clock: () => new Date() }
  const password = `password of ${username}`
  await signUp(env, { username, displayName: name, password, confirmPassword: password })
  await endSignUp(env)

  async function contactOf(other: string): Promise<Contact> {
    const contact = (await api(contactsApi.list, {})).find(({ contactUser }) => contactUser.username === other)
    if (!contact) throw new Error(`${other} is not on the list of ${username}`)
    return contact
  }

  return {
    username,
    adds: async (other) => void (await api(contactsApi.add, { username: other })),
    accepts: async (other) => void (await api(contactsApi.accept, { contactId: (await contactOf(other)).id })),
    async says(other, texts) {
      const contact = await contactOf(other)
      const { room } = roomOfContact(contact)
      await refreshOwnDevices(env)
      await syncBook(env)
      for (const text of texts) {
        const content = { type: 'text' as const, text }
        const sentAt = new Date().toISOString()
        await core.keepInOutbox({ id: randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt })
        await flushRoom(env, room, async () => undefined)
      }
      const [left] = await core.outbox(room.id)
      if (left) throw new Error(left.failure ?? waitOf(room.id)?.reason ?? 'A message was not sent')
    },
  }
}
