import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { cancelSignIn } from './signin.ts'

/** Returns what cancels a sign-in that is not complete; the screen is left at once, and a failure is told. */
export function useCancel(onCancel: () => void): () => void {
  const env = useEnv()
  return () => {
    cancelSignIn(env).catch((error) => showToast({ tone: 'bad', title: 'The sign-in stays open', text: failureWords(error) }))
    onCancel()
  }
}
