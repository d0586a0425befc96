import { createStore } from 'zustand/vanilla'
import type { Contact } from '../../contract/contacts.ts'

/** What stands under a contact's name. */
export interface Preview {
  text: string
  kind: 'text' | 'photo' | 'document' | 'failed' | 'unreadable'
  /** Ticks, on own messages only. */
  status: 'sending' | 'sent' | 'delivered' | 'read' | null
}

export interface ContactRow extends Contact {
  preview: Preview | null
  isTyping: boolean
  /** The identity key differs from the pinned one: nothing is sent until the person decides [Note: I1]. */
  keyChanged: boolean
  /** The person compared the safety number of the key that the server names. */
  isVerified: boolean
}

export interface ContactsState {
  status: 'loading' | 'ready' | 'failed'
  /** Requests first, then the newest conversation first. */
  rows: ContactRow[]
  /** Unread messages in accepted chats, from the server. */
  unreadTotal: number
}

export const contactsStore = createStore<ContactsState>(() => ({ status: 'loading', rows: [], unreadTotal: 0 }))

export const resetContacts = (): void => contactsStore.setState({ status: 'loading', rows: [], unreadTotal: 0 })

/** What a contact is called on screen. */
export const nameOf = ({ displayName, contactUser }: ContactRow): string =>
  contactUser.isDeleted ? 'Deleted account' : (displayName ?? contactUser.displayName)

/** The contact whose room it is, or undefined for a room that the list does not show. */
export const contactOfRoom = (chatRoomId: string): ContactRow | undefined =>
  contactsStore.getState().rows.find((row) => row.chatRoomId === chatRoomId)

/** What the list says of a contact by now; as it was given where the list does not show it. */
export const newestOf = (contact: Contact): Contact =>
  contactsStore.getState().rows.find(({ id }) => id === contact.id) ?? contact

/** Requests first, then the newest conversation. */
export const sorted = (rows: ContactRow[]): ContactRow[] =>
  [...rows].sort((a, b) => rank(a) - rank(b) || Date.parse(lastAt(b)) - Date.parse(lastAt(a)))
const rank = (row: ContactRow) => (row.state === 'pending' ? 0 : 1)
const lastAt = (row: ContactRow) => row.lastMessage?.createdAt ?? row.addedAt

/** Changes one row, found by its room or by the other person. */
export function changeRow(match: (row: ContactRow) => boolean, change: (row: ContactRow) => Partial<ContactRow>): void {
  contactsStore.setState(({ rows }) => ({ rows: sorted(rows.map((row) => (match(row) ? { ...row, ...change(row) } : row))) }))
}

/** How far an own message has come, by the other side's marks. */
export function statusOf(row: Pick<Contact, 'theirReadSeq' | 'theirDeliveredSeq'>, seq: number): 'sent' | 'delivered' | 'read' {
  if (row.theirReadSeq >= seq) return 'read'
  return row.theirDeliveredSeq >= seq ? 'delivered' : 'sent'
}
