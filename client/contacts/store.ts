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
