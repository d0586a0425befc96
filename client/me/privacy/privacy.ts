import { type Privacy, privacyApi } from '../../../contract/people/privacy.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { type AccountState, accountStore } from '../account/accountState.ts'

/** Nothing is shown of an account that is not open. */
const NOTHING: Privacy = { presence: false, lastSeen: false, typing: false, receipts: false }

/** Returns what the open account shows to its contacts, and so may see of them. */
export const privacyOf = ({ user }: AccountState): Privacy => user?.privacy ?? NOTHING
export const ownPrivacy = (): Privacy => privacyOf(accountStore.getState())

/** Switches what contacts are shown. The server tells the account's other pages, and its contacts. Throws ApiError. */
export async function savePrivacy(env: Env, change: Partial<Privacy>): Promise<void> {
  // Queued like every read of the user, so that an answer from before cannot overwrite it.
  await inTurn(env, 'user', async () => {
    const before = accountStore.getState().user
    const privacy = await env.api(privacyApi.update, change)
    const { user } = accountStore.getState()
    if (user && user.id === before?.id) accountStore.setState({ user: { ...user, privacy } })
  })
}
