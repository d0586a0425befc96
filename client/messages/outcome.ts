import { ApiError } from '../net/api.ts'
import { needsPlan } from '../plans/needs.ts'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import type { SendOutcome } from './outbox.ts'

/** Sends, and shows a toast after a failure, or the plans where the plan allows no sending. Returns the outcome; `failed` after an error. */
export async function sendAndReport(
  send: () => Promise<SendOutcome>,
  onUpgrade: () => void,
): Promise<SendOutcome['outcome'] | 'failed'> {
  try {
    const outcome = await send()
    if (outcome.outcome === 'limit_reached') showToast({ tone: 'bad', title: 'Message Limit Reached', text: outcome.text })
    if (outcome.outcome === 'subscription_required') {
      onUpgrade()
      showToast({ tone: 'bad', title: 'Subscription Required', text: needsPlan('send messages') })
    }
    return outcome.outcome
  } catch (error) {
    const isSignedOut = error instanceof ApiError && error.code === 'not_signed_in'
    const hasWords = isSignedOut || (error instanceof Error && error.name === 'CryptoFailure')
    showToast({ tone: 'bad', title: 'Error', text: hasWords ? failureWords(error) : 'Failed to send message' })
    return 'failed'
  }
}
