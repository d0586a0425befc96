import { passwordStrength } from './strength.ts'

/** Shows an estimate of the strength. It never rejects a password. */
export function PasswordMeter({ password, own }: { password: string; own: string[] }) {
  if (!password) return null
  const { score, word } = passwordStrength(password, own)
  return (
    <div className="strength">
      <div className={`strength-bars s${score}`} aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </div>
      <p className="help" role="status">
        <span>
          <b>{word}.</b> A rough estimate, from length and variety.
        </span>
      </p>
    </div>
  )
}
