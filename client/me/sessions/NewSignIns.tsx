import { CircleAlert } from 'lucide-react'
import { useStore } from 'zustand'
import type { SignIn } from '../../../contract/account/sessions.ts'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { shownDevices } from '../devices/deviceList.ts'
import { endSessions } from './sessions.ts'
import { browserWords, signInTime, signInTitle } from './sessionWords.ts'
import { answerSignIns, withoutAnnounced } from './signins.ts'
import { signInsStore } from './store.ts'

/** Sign-ins told one by one; more of them are counted. */
const TOLD = 3

interface Props {
  onChangePassword: () => void
  onReview: () => void
  /** The pressed button disappears, so focus another element. */
  focusNext: () => void
}

/** Tells of sign-ins to the account, each until the person has answered in this browser [Note: D4]. */
export function NewSignIns({ onChangePassword, onReview, focusNext }: Props) {
  const shown = useSignIns()
  const rest = shown.slice(TOLD)
  return (
    <>
      {shown.slice(0, TOLD).map((signIn) => (
        <OneSignIn
          key={signIn.id}
          signIn={signIn}
          onChangePassword={onChangePassword}
          onReview={onReview}
          focusNext={focusNext}
        />
      ))}
      {rest.length > 0 && <MoreSignIns signIns={rest} onReview={onReview} focusNext={focusNext} />}
    </>
  )
}

export function useSignIns(): SignIn[] {
  const signIns = useStore(signInsStore, (state) => state.signIns)
  const announced = useStore(shownDevices, (state) => state.announced)
  return withoutAnnounced(signIns, announced)
}

interface OneProps extends Props {
  signIn: SignIn
}

function OneSignIn({ signIn, onChangePassword, onReview, focusNext }: OneProps) {
  const env = useEnv()
  const now = useNow(60_000)
  const { isLive, copiedPasskey } = signIn
  const name = browserWords(signIn)
  const at = signInTime(new Date(signIn.signedInAt), now)

  async function notMe() {
    try {
      if (isLive) await endSessions(env, [signIn.id])
      await answerSignIns(env, [signIn.id])
      onChangePassword()
    } catch (error) {
      showToast({ tone: 'bad', title: 'The session was not ended', text: failureWords(error) })
    }
  }

  return (
    <Notice
      icon={CircleAlert}
      tone="warn"
      title={
        <>
          {signInTitle(signIn)}: <bdi>{name}</bdi>, {at}
        </>
      }
      text={
        copiedPasskey !== null ? (
          <>
            Somebody may have a copy of your passkey <bdi>{copiedPasskey}</bdi>: it counted fewer sign-ins than yours. Remove that
            passkey, and change your password.
          </>
        ) : isLive ? (
          'Not you? End it and change your password.'
        ) : (
          'It has ended since. Not you? Change your password.'
        )
      }
    >
      <ItWasMe ids={[signIn.id]} label={`It was me who signed in with ${name}`} words="It was me" focusNext={focusNext} />
      <button type="button" className="btn compact outline danger-words" onClick={notMe}>
        {isLive ? 'End it' : 'Change password'}
      </button>
      <Review onReview={onReview} />
    </Notice>
  )
}

interface MoreProps extends Pick<Props, 'onReview' | 'focusNext'> {
  signIns: SignIn[]
}

function MoreSignIns({ signIns, onReview, focusNext }: MoreProps) {
  const words = signIns.length === 1 ? '1 more sign-in' : `${signIns.length} more sign-ins`
  return (
    <Notice icon={CircleAlert} tone="warn" title={`${words} before these`} text="Not you? Change your password.">
      <ItWasMe
        ids={signIns.map(({ id }) => id)}
        label={`They were all me: ${words}`}
        words="They were me"
        focusNext={focusNext}
      />
      <Review onReview={onReview} />
    </Notice>
  )
}

function Review({ onReview }: Pick<Props, 'onReview'>) {
  return (
    <button type="button" className="btn compact outline" aria-label="Sessions and devices" onClick={onReview}>
      Sessions
    </button>
  )
}

interface AnswerProps {
  ids: string[]
  label: string
  words: string
  focusNext: () => void
}

function ItWasMe({ ids, label, words, focusNext }: AnswerProps) {
  const env = useEnv()
  return (
    <button
      type="button"
      className="btn compact outline"
      aria-label={label}
      onClick={() =>
        answerSignIns(env, ids).then(focusNext, (error) =>
          showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) }),
        )
      }
    >
      {words}
    </button>
  )
}
