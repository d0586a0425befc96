import { pushApi, type QuietHours } from '../../../contract/chat/push.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'

/** What quiet hours begin with: a night where the person is. */
export const firstQuietHours = (): QuietHours => ({ from: '22:00', to: '07:00', timeZone: timeZoneHere() })

/** The time zone of this browser, by IANA's name. */
export const timeZoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const loadQuietHours = async (env: Env): Promise<QuietHours | null> => (await env.api(pushApi.quietHours, {})).quietHours

/** Saves quiet hours; null ends them. In the order of the calls. Returns false, and says why, where the server refuses. */
export function saveQuietHours(env: Env, quietHours: QuietHours | null): Promise<boolean> {
  return inTurn(env, 'quiet hours', async () => {
    try {
      await env.api(pushApi.setQuietHours, { quietHours })
      return true
    } catch (error) {
      showToast({ tone: 'bad', title: 'The quiet hours were not saved', text: failureWords(error) })
      return false
    }
  })
}
