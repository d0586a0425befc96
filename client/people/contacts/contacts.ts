import { type Contact, contactsApi } from '../../../contract/chat/contacts.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import { publicKeyOfOnion } from '../../../contract/people/onion.ts'
import type { Env } from '../../env.ts'
import { ApiError, isRefused } from '../../net/api.ts'
import { keepRooms, reloadRooms } from '../../rooms/list/loadRooms.ts'
import { type DirectRow, putRooms } from '../../rooms/list/roomList.ts'
import { saveBook } from '../../rooms/trust/book.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { showDecision } from '../../rooms/trust/verified.ts'
import { CryptoFailure } from '../../worker/crypto.ts'

/**
 * Adds a contact by username or onion address. An onion address pins its key, so that a server that returns another key is detected
 * before anything is sent [Note: I1]. Throws ApiError.
 */
export async function addContact(env: Env, text: string): Promise<Contact> {
  const typed = text.trim()
  if (!typed.includes('.onion')) {
    const contact = await env.api(contactsApi.add, { username: typed.replace(/^@/, '') })
    await keepRooms(env, [contact])
    return contact
  }
  const key = publicKeyOfOnion(typed)
  if (!key) throw new ApiError(400, 'invalid_onion_address', REFUSAL_TEXTS.invalid_onion_address)
  return await addAddress(env, typed.toLowerCase(), toBase64(key))
}

async function addAddress(env: Env, onionAddress: string, identityKey: string): Promise<Contact> {
  await env.crypto.wantAddress({ identityKey })
  try {
    const contact = await env.api(contactsApi.add, { onionAddress })
    await env.crypto.pinAddress({ userId: contact.contactUserId, identityKey }).catch(async (error: unknown) => {
      // A chat with that person asks at once which key is right.
      await showDecision(env, contact.contactUserId)
      throw error
    })
    await keepRooms(env, [contact])
    return contact
  } catch (error) {
    if (!isRefused(error, 'already_contact')) throw error
    // The answer of an earlier try was lost, or the person is known by name already.
    await reloadRooms(env)
    if ([...peopleStore.getState().people.values()].some((person) => person.identityKey === identityKey)) throw error
    throw new CryptoFailure(
      'key_changed',
      'The server says that you have this contact, and lists nobody with the key of this address',
    )
  }
}

/** Takes a person off the list. No browser of this account then reports them as missing [Note: I3]. */
export async function removeContact(
  env: Env,
  { id, direct: { contactId }, lock, lastSeq }: DirectRow,
  userId: string,
): Promise<void> {
  await env.crypto.knowVanished({ userId })
  await saveBook(env)
  await env.api(contactsApi.remove, { contactId })
  putRooms([], [id])
  if (lock === 'none') return
  // The server has removed the chat password, and the own side of the chat with it [Note: L1].
  await env.crypto.giveChatUp({ chatRoomId: id, clearedSeq: lastSeq })
  await saveBook(env)
}
