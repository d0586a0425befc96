import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import { type Contact, contactsApi } from '../../contract/contacts.ts'
import type { FrameOf } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/limits.ts'
import { notificationsApi } from '../../contract/notifications.ts'
import { onionAddress, publicKeyOfOnion } from '../../contract/onion.ts'
import { REFUSALS } from '../../contract/refusals.ts'
import type { OutboxRow, StoredMessage } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { inTurn } from '../net/turns.ts'
import { type ContactRow, contactsStore, type Preview } from './store.ts'
import { reloadVerified, verifiedAmong } from './verified.ts'

export type { ContactRow } from './store.ts'

/** The contact whose room it is, or undefined for a room that the list does not show. */
export const contactOfRoom = (chatRoomId: string): ContactRow | undefined =>
  contactsStore.getState().rows.find((row) => row.chatRoomId === chatRoomId)

/** Reads the list again. What the rows already show stays until it is known better. */
export async function reloadContacts(env: Env): Promise<ContactRow[]> {
  try {
    const contacts = await env.api(contactsApi.list, {})
    const verified = await verifiedAmong(env, contacts)
    const before = new Map(contactsStore.getState().rows.map((row) => [row.id, row]))
    const rows = contacts.map((contact) => mergeRow(contact, before.get(contact.id), verified))
    contactsStore.setState({ status: 'ready', rows: sorted(rows) })
    await reloadUnreadTotal(env)
    return rows
  } catch (error) {
    if (error instanceof ApiError && contactsStore.getState().status === 'loading') contactsStore.setState({ status: 'failed' })
    throw error
  }
}

export async function reloadUnreadTotal(env: Env): Promise<void> {
  const { count } = await env.api(notificationsApi.unreadCount, {})
  contactsStore.setState({ unreadTotal: count })
}

/**
 * Adds by username, or by onion address where the text holds one: then the key in the address is pinned, and a
 * server that answers with another one is found out before anything is sent [Note: I1]. Throws ApiError.
 */
export async function addContact(env: Env, text: string): Promise<ContactRow> {
  const who = text.trim()
  if (!who.includes('.onion')) return take(env, await env.api(contactsApi.add, { username: who.replace(/^@/, '') }))
  const key = publicKeyOfOnion(who)
  if (!key) throw new ApiError(400, 'invalid_onion_address', REFUSALS.invalid_onion_address.text)
  const contact = await env.api(contactsApi.add, { onionAddress: who.toLowerCase() })
  await env.crypto.pinAddress({ userId: contact.contactUserId, identityKey: toBase64(key) })
  return take(env, contact)
}

/** The person decided for a contact's new key: the room begins anew under it. */
export async function acceptNewKey(env: Env, contact: ContactRow): Promise<void> {
  const { identityKey } = contact.contactUser
  if (!identityKey) return
  await env.crypto.trustKey({ userId: contact.contactUserId, identityKey })
  changeRow(
    ({ id }) => id === contact.id,
    () => ({ keyChanged: false }),
  )
  await reloadVerified(env)
}

export async function acceptContact(env: Env, contactId: string): Promise<void> {
  await take(env, await env.api(contactsApi.accept, { contactId }))
}

export async function declineContact(env: Env, contactId: string): Promise<void> {
  await env.api(contactsApi.decline, { contactId })
  contactsStore.setState(({ rows }) => ({ rows: rows.filter((row) => row.id !== contactId) }))
}

async function take(env: Env, contact: Contact): Promise<ContactRow> {
  const verified = await verifiedAmong(env, [contact])
  const before = contactsStore.getState().rows.find(({ id }) => id === contact.id)
  const row = mergeRow(contact, before, verified)
  contactsStore.setState(({ rows }) => ({ rows: sorted([row, ...rows.filter(({ id }) => id !== row.id)]) }))
  return row
}

const mergeRow = (contact: Contact, before: ContactRow | undefined, verified: ReadonlySet<string>): ContactRow => ({
  ...contact,
  // The address is the key's fingerprint: it is made from the key that is used, not taken from the server.
  contactUser: { ...contact.contactUser, onionAddress: addressOf(contact.contactUser.identityKey) },
  preview: before?.preview ?? null,
  isTyping: before?.isTyping ?? false,
  keyChanged: !contact.contactUser.isDeleted && (before?.keyChanged ?? false),
  isVerified: verified.has(contact.contactUserId),
})

const addressOf = (identityKey: string | null) => identityKey && onionAddress(fromBase64(identityKey))

/** Requests first, then the newest conversation. */
const sorted = (rows: ContactRow[]): ContactRow[] =>
  [...rows].sort((a, b) => rank(a) - rank(b) || Date.parse(lastAt(b)) - Date.parse(lastAt(a)))
const rank = (row: ContactRow) => (row.state === 'pending' ? 0 : 1)
const lastAt = (row: ContactRow) => row.lastMessage?.createdAt ?? row.addedAt

/** Changes one row, found by its room or by the other person. */
export function changeRow(match: (row: ContactRow) => boolean, change: (row: ContactRow) => Partial<ContactRow>): void {
  contactsStore.setState(({ rows }) => ({ rows: sorted(rows.map((row) => (match(row) ? { ...row, ...change(row) } : row))) }))
}

/** Reads the room's newest message and unsent ones from the vault and says them in the row. */
export function refreshPreview(env: Env, chatRoomId: string, userId: string): Promise<void> {
  // In turn: a slow look at the vault must not overwrite what a later one has seen.
  return inTurn(`preview ${chatRoomId}`, () => lookAtNewest(env, chatRoomId, userId))
}

async function lookAtNewest(env: Env, chatRoomId: string, userId: string): Promise<void> {
  const [{ messages }, outbox] = await Promise.all([env.crypto.page({ chatRoomId, limit: 1 }), env.crypto.outbox(chatRoomId)])
  const newest = messages.at(-1)
  changeRow(
    (row) => row.chatRoomId === chatRoomId,
    (row) => ({ preview: previewOf(row, newest, outbox.at(-1), userId) }),
  )
}

function previewOf(
  row: ContactRow,
  newest: StoredMessage | undefined,
  unsent: OutboxRow | undefined,
  userId: string,
): Preview | null {
  if (unsent) {
    const { text } = unsent.content
    return unsent.failure ? { kind: 'failed', text, status: null } : { kind: 'text', text, status: 'sending' }
  }
  if (!newest) return null
  const status = newest.senderId === userId ? statusOf(row, newest.seq) : null
  switch (newest.body.kind) {
    case 'content':
      return { kind: 'text', text: newest.body.content.text, status }
    case 'plain':
    case 'notice':
      return { kind: 'text', text: newest.body.text, status: newest.body.kind === 'plain' ? status : null }
    case 'sealed':
    case 'unreadable':
      return { kind: 'unreadable', text: 'This message cannot be read here', status: null }
  }
}

/** How far an own message has come, by the other side's marks. */
export function statusOf(row: Pick<Contact, 'theirReadSeq' | 'theirDeliveredSeq'>, seq: number): 'sent' | 'delivered' | 'read' {
  if (row.theirReadSeq >= seq) return 'read'
  return row.theirDeliveredSeq >= seq ? 'delivered' : 'sent'
}

/** A message arrived: the row moves up and counts, before a reload of the list would say so. */
export function noteMessage(message: FrameOf<'message'>['data'], userId: string, isSeen: boolean): void {
  const isMine = message.senderId === userId
  changeRow(
    (row) => row.chatRoomId === message.chatRoomId,
    (row) => {
      if (message.seq <= row.lastSeq && row.lastMessage && row.lastMessage.seq >= message.seq) return {}
      const unreadCount = isMine || isSeen ? row.unreadCount : row.unreadCount + 1
      return {
        lastMessage: message,
        lastSeq: Math.max(row.lastSeq, message.seq),
        unreadCount,
        hasUnreadNotifications: unreadCount > 0,
        isTyping: false,
      }
    },
  )
  contactsStore.setState(({ rows }) => ({ unreadTotal: sumUnread(rows) }))
}

const sumUnread = (rows: ContactRow[]) => rows.reduce((sum, row) => sum + (row.state === 'accepted' ? row.unreadCount : 0), 0)

/** Someone's marks moved: ours (on another device or tab) or theirs. */
export function noteReceipt({ chatRoomId, userId, deliveredSeq, readSeq }: FrameOf<'receipt'>['data'], ownId: string): void {
  changeRow(
    (row) => row.chatRoomId === chatRoomId,
    (row) => {
      if (userId !== ownId) {
        return {
          theirDeliveredSeq: Math.max(row.theirDeliveredSeq, deliveredSeq),
          theirReadSeq: Math.max(row.theirReadSeq, readSeq),
        }
      }
      const unreadCount = readSeq >= row.lastSeq ? 0 : row.unreadCount
      return { readSeq: Math.max(row.readSeq, readSeq), unreadCount, hasUnreadNotifications: unreadCount > 0 }
    },
  )
  contactsStore.setState(({ rows }) => ({ unreadTotal: sumUnread(rows) }))
}

export function notePresence({ userId, isOnline, lastSeen }: FrameOf<'presence'>['data']): void {
  changeRow(
    (row) => row.contactUserId === userId,
    (row) => ({ contactUser: { ...row.contactUser, isOnline, lastSeen: lastSeen ?? row.contactUser.lastSeen } }),
  )
}

const typingEnds = new Map<string, ReturnType<typeof setTimeout>>()

/** "typing…" for a few seconds; a lost "stopped" does not leave it standing. */
export function noteTyping({ chatRoomId, isTyping }: FrameOf<'typing'>['data']): void {
  const show = (shown: boolean) =>
    changeRow(
      (row) => row.chatRoomId === chatRoomId && row.isTyping !== shown,
      () => ({ isTyping: shown }),
    )
  clearTimeout(typingEnds.get(chatRoomId))
  show(isTyping)
  if (isTyping)
    typingEnds.set(
      chatRoomId,
      setTimeout(() => show(false), PERIODS.typingShownMs),
    )
}

export const resetContacts = (): void => contactsStore.setState({ status: 'loading', rows: [], unreadTotal: 0 })
