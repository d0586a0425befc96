import { ChevronDown } from 'lucide-react'
import { Unbroken } from '../ui/Unbroken.tsx'
import type { Claim } from './claim.ts'

/** A claim with its figure. What is behind it opens below all of these: one at a time, and without a script. */
export function FigureClaim(claim: Claim) {
  const { id, text, figure, measures } = claim
  return (
    <article id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{text}</h2>
      <p className="figure">
        {figure?.value.toLocaleString('en')} {figure?.unit}
      </p>
      <p className="says">
        <Unbroken text={figure?.says ?? ''} />
      </p>
      <details name="figures" data-measures={measures.join(' ')}>
        <summary>
          How we know<span className="sr">: {text}</span>
        </summary>
        <Known {...claim} Heading="h3" />
      </details>
    </article>
  )
}

/** A claim and what it holds for, in two lines. */
export function FoldedClaim(claim: Claim) {
  const { id, text, caption, measures } = claim
  return (
    <article id={id} aria-labelledby={`${id}-title`}>
      <details data-measures={measures.join(' ')}>
        <summary>
          <h3 id={`${id}-title`}>{text}</h3>
          <p>
            <Unbroken text={caption} />
          </p>
          <ChevronDown className="i i-16" aria-hidden />
        </summary>
        <Known {...claim} Heading="h4" />
      </details>
    </article>
  )
}

function Known({ story, tests, figure, measures, limit, Heading }: Claim & { Heading: 'h3' | 'h4' }) {
  const proofs = [...(figure ? [figure.test] : []), ...tests]
  return (
    <div className="known">
      <p className="story">
        <Unbroken text={story} />
      </p>
      {proofs.length > 0 && (
        <>
          <Heading>Tested</Heading>
          <ul className="tests">
            {proofs.map(({ file, title }) => (
              <li key={title}>
                {title}
                <code>{file}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {measures.length > 0 && (
        <div className="measured" aria-live="polite">
          <Heading>Measured here</Heading>
          <p className="waits">JavaScript measures this in your browser when you open it.</p>
        </div>
      )}
      {limit && (
        <>
          <Heading>What it does not cover</Heading>
          <p>{limit}</p>
        </>
      )}
      <p>
        <a href="/security/threat-model">Threat model</a>
      </p>
    </div>
  )
}
