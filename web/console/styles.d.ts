// Styles are imported for their effect; the bundler loads them with the code that imports them.
declare module "*.css";
