import type { Act, Content } from '../../../contract/chat/content.ts'
import { ACT_LIMITS } from '../../../contract/chat/kinds/fold.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { messageAt, seqOfMessage } from '../vault/storedMessage.ts'
import type { Vault } from '../vault/vault.ts'

/** Sends no edit or deletion that nobody would count. Throws 'too_late'. */
export async function refuseLate(vault: Vault, chatRoomId: string, said: Act | Content): Promise<void> {
  if (said.type !== 'edit' && said.type !== 'delete') return
  const seq = await seqOfMessage(vault, { chatRoomId, ...said.target })
  const message = seq === undefined ? undefined : await messageAt(vault, chatRoomId, seq)
  const [limitMs, words] =
    said.type === 'edit' ? [ACT_LIMITS.editMs, 'edited within 24 hours'] : [ACT_LIMITS.deleteMs, 'deleted within 48 hours']
  if (said.type === 'edit' && seq !== undefined && !message) throw new CryptoFailure('too_late', 'The message has disappeared')
  if (message && Date.now() - Date.parse(message.sentAt ?? message.at) > limitMs)
    throw new CryptoFailure('too_late', `A message can be ${words}`)
}
