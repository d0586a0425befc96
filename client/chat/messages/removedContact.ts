import type { Env } from '../../env.ts'
import { showToast } from '../../ui/toast.ts'

/** Another browser may have removed the contact. */
export async function stopRemoved(env: Env, chatRoomId: string): Promise<void> {
  const rows = (await env.crypto.outbox(chatRoomId)).filter(({ failure, content }) => failure === null && content)
  for (const { id } of rows)
    await env.crypto.changeOutbox({ chatRoomId, id, failure: 'You have removed this contact', unseal: false })
  if (rows.length === 0) return
  const what = rows.length === 1 ? 'A message waits' : `${rows.length} messages wait`
  const text = `${what} for a contact whom you have removed. The words stay in that chat, where you find them if you add the contact again.`
  showToast({ tone: 'bad', title: 'Not sent', text, mustBeSeen: true })
}
