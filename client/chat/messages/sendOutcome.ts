import { ApiError } from '../../net/api.ts'
import { needsPlan } from '../../plan/plans/needsPlan.ts'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import type { SendOutcome } from './outbox.ts'

/** Returns `failed` after an error. */
export async function sendAndReport(
  send: () => Promise<SendOutcome>,
  onUpgrade: () => void,
): Promise<SendOutcome['outcome'] | 'failed'> {
  try {
    const outcome = await send()
    if (outcome.outcome === 'limit_reached') tell('Message Limit Reached', outcome.text)
    if (outcome.outcome === 'subscription_required') {
      onUpgrade()
      tell('Subscription Required', needsPlan('send messages'))
    }
    return outcome.outcome
  } catch (error) {
    const isSignedOut = error instanceof ApiError && error.code === 'not_signed_in'
    const hasWords = isSignedOut || (error instanceof Error && error.name === 'CryptoFailure')
    tell('Error', hasWords ? failureWords(error) : 'Failed to send message')
    return 'failed'
  }
}

const tell = (title: string, text: string): void => showToast({ tone: 'bad', title, text })
