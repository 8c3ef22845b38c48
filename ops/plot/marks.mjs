// What the pictures use of Plot; the bundle holds nothing else.
export { areaY, axisX, axisY, barX, dot, gridX, gridY, line, link, plot, rect, ruleX, ruleY, text } from "@observablehq/plot";
