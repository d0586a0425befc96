import { contactsApi } from '../../../contract/chat/contacts.ts'
import type { Env } from '../../env.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { type DirectRow, putRooms } from '../../rooms/list/roomList.ts'

export async function acceptContact(env: Env, { direct: { contactId } }: DirectRow): Promise<void> {
  await keepRooms(env, [await env.api(contactsApi.accept, { contactId })])
}

export async function restoreContact(env: Env, { direct: { contactId } }: DirectRow): Promise<void> {
  await keepRooms(env, [await env.api(contactsApi.restore, { contactId })])
}

export async function declineContact(env: Env, { id, direct: { contactId } }: DirectRow): Promise<void> {
  await env.api(contactsApi.decline, { contactId })
  putRooms([], [id])
}
