import { HOME } from './homeWords.ts'
import './homeScreen.css'

/** The way to the Home Screen, without which Apple pushes nothing. */
export function HomeScreen() {
  return (
    <section className="home-screen" aria-label={HOME.title}>
      <h3>{HOME.title}</h3>
      <p>{HOME.text}</p>
      <ol>
        {HOME.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p>{HOME.version}</p>
    </section>
  )
}
